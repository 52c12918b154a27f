"""Help that teaches by example."""

OVERVIEW = """\
hardgen: turn, measure and name what makes images hard for vision models.

  hardgen sweep                              measure the bundled digits model, make a report to look at
  hardgen sweep data=image_folder data.root=photos model=torchvision model.arch=resnet18 model.weights=DEFAULT
  hardgen preview pipeline=gaussian_blur     see what a knob does: images x hardness on one sheet
  hardgen generate pipeline=rectangle        write graded variants as image folders with a manifest
  hardgen calibrate pipeline=gaussian_blur   re-space a knob: equal steps of hardness, equal steps of error
  hardgen report outputs/sweep/A outputs/sweep/B
                                             one page for one or several runs
  hardgen list                               perturbations with their knobs, data sources, model kinds

Every command takes key=value overrides (Hydra): hardgen COMMAND --help has examples, hardgen COMMAND --cfg job prints
the whole configuration. hardgen --version."""

_COMMON = """\
Data:       data=digits (default, embedded) | image_folder | manifest | torchvision
            data=image_folder data.root=photos data.resize=256 data.crop=224 data.limit=1000
            data=manifest data.path=labels.csv
Pipeline:   pipeline=four_families (default) | any perturbation's name | several: pipeline=[gaussian_blur,contrast]
            pipeline.gaussian_blur.sigma=0.02 sets a knob; +perturbation@pipeline.b=gaussian_blur adds slot b
Axes:       axes=[blur.sigma,contrast] (default: the main knob of every slot)
            hardness=[0.25,0.5,1]  or  hardness='{start:0.1,stop:0.8,step:0.1}'
            axes='{blur.sigma:{values:[0.01,0.02,0.04]}}'  (quoted, or the shell takes the braces apart)
            mode=one_at_a_time (default) | grid | together
Also:       seed=0 batch_size=32 workers=2 device=cuda on_error=raise out=DIR plugins=[mine.py,mine.yaml] --dry-run
            --config-dir DIR adds your own YAML files"""

_SWEEP = f"""\
hardgen sweep: accuracy as a function of every knob, with a report.

  hardgen sweep                                        the bundled model on real handwritten digits
  hardgen sweep --dry-run                              the plan: conditions, images and answers
  hardgen sweep out=runs/a                             name the folder; the same command goes on where it stopped
  hardgen sweep data=image_folder data.root=photos model=timm model.arch=resnet50 model.pretrained=true
  hardgen sweep model=module model.factory=net.py:resnet20 model.weights=resnet20.th \\
                model.mean=[0.485,0.456,0.406] model.std=[0.229,0.224,0.225]
                                                       module, onnx and litert normalise nothing unless told to:
                                                       give the mean and std that the model was trained with
  hardgen sweep model=litert model.path=mobilenet.tflite model.skip_outputs=1
  hardgen sweep pipeline=[gaussian_blur,contrast] mode=grid hardness='{{start:0,stop:1,num:5}}'
  hardgen sweep design=levels                          each image at 5 or 6 of 33 stops: the same curves, and finer
  hardgen sweep -m pipeline=rectangle,holes            Hydra multirun; the jobs are merged at the end
  hardgen sweep -m hydra/launcher=joblib seed=0,1,2    the same in parallel
  hardgen sweep -m hydra/launcher=joblib shard=1/4,2/4,3/4,4/4
                                                       the images shared out, the tables those of one run; also
                                                       hydra/launcher=submitit_slurm, submitit_local, ray
                                                       (starts a Ray of its own) or ray_cluster
  hardgen sweep shard=2/4 out=shared/2                 one shard on this machine; hardgen report reads them together
  hardgen sweep tracking=mlflow tracking.uri=sqlite:///mlflow.db
                                                       tell a tracker; also tracking=tensorboard or wandb

Several models on the same pixels: a YAML with a mapping of named models, say my_conf/model/panel.yaml:

  small: {{kind: module, factory: net.py:resnet20, weights: resnet20.th,
          mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}
  large: {{kind: module, factory: net.py:resnet56, weights: resnet56.th,
          mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}

  hardgen sweep --config-dir my_conf model=panel
  hardgen sweep --config-dir my_conf model=panel +model@model.other=torchvision model.other.arch=resnet18

{_COMMON}"""

_GENERATE = f"""\
hardgen generate: graded variants, one image folder per condition, and manifest.parquet with a row for every file.

  hardgen generate pipeline=motion_blur out=variants
  hardgen generate pipeline=rectangle hardness=[0.1,0.5] format=jpeg quality=90
  hardgen generate data=image_folder data.root=photos --dry-run

{_COMMON}"""

_PREVIEW = f"""\
hardgen preview: a contact sheet, images x hardness, for every axis.

  hardgen preview
  hardgen preview pipeline=clutter images=5 size=200 out=clutter.png
  hardgen preview data=image_folder data.root=photos data.resize=256 data.crop=224 pipeline=gaussian_blur
  hardgen preview plugins=[mine.yaml] pipeline=relief  a transform of another library that your YAML file adapts

{_COMMON}"""

_REPORT = """\
hardgen report: the page and the figures of one or several runs.

  hardgen report outputs/sweep/A                       again, into the run's own folder
  hardgen report runs/a runs/b out=compared            several runs on one page

No images, models or GPU are needed: only the runs' tables are read."""

_LIST = """\
hardgen list: what there is to choose from.

  hardgen list                                         perturbations with knobs, units and ranges; data; models
  hardgen list --json                                  perturbations as JSON: name, family, knobs, ...
  hardgen list --markdown                              the same as the README's table
  hardgen list --markdown --thumbnails=pictures        that table with a picture of each, written to the folder
  hardgen list plugins=[mine.py]                       with those of your own file
  hardgen list plugins=[mine.yaml]                     with transforms of Albumentations, Kornia or torchvision that
                                                       your file adapts (CONTRIBUTING.md: a dozen lines)

  hardgen list --doses                                 how far each moves the images, at 11 hardnesses: its own doses,
                                                       RMSE, SSIM and MS-SSIM, as a table and a figure for each family
  hardgen list --doses data=image_folder data.root=photos data.resize=256 data.crop=224 images=50 out=doses
  hardgen list --doses pipeline=all_blur hardness=[0.25,0.5,1]"""

_CALIBRATE = f"""\
hardgen calibrate: spaces knobs anew, so that equal steps of hardness are equal steps of a measure on your images.

  hardgen calibrate pipeline=[gaussian_blur,contrast] out=calibrated/mine
  hardgen sweep pipeline=[gaussian_blur,contrast] --config-dir calibrated/mine +spacing=mine

  hardgen calibrate measure=ssim pipeline=all_blur data=image_folder data.root=photos
  hardgen calibrate --config-dir my_conf model=panel data=image_folder data.root=photos steps=10 span=0.9

measure=error (default) runs a sweep of the models and averages their errors; rmse, ssim and ms_ssim are distances from
the clean image and need no model. Two perturbations spaced by one measure can be compared at equal difficulty.

{_COMMON}"""

HELP = {
    "sweep": _SWEEP,
    "generate": _GENERATE,
    "preview": _PREVIEW,
    "report": _REPORT,
    "calibrate": _CALIBRATE,
    "list": _LIST,
}
"""What `hardgen COMMAND --help` prints."""
