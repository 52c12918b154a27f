"""What the commands do, given a composed config."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from hardgen import registry
from hardgen.calibrate import Measure
from hardgen.calibrate import calibrate as space_anew
from hardgen.config import check_keys, dataset_of, models_of, options_of, pipeline_of, plain
from hardgen.data.loading import Failure, OnError, donors, load, to_batch
from hardgen.doses import measure_doses, save_doses
from hardgen.engine import run_sweep
from hardgen.errors import HardgenError, Mistake, choice
from hardgen.generate import folder_of
from hardgen.generate import generate as write_variants
from hardgen.heap import keep_freed_memory
from hardgen.jobs import Job
from hardgen.pipeline import Pipeline
from hardgen.preview import contact_sheet
from hardgen.progress import console
from hardgen.report.dose_figures import save_dose_figures
from hardgen.report.page import make_report
from hardgen.say import say_calibration, say_doses, say_failures, say_plan, say_run
from hardgen.sweeps.axes import Axis, read_axes
from hardgen.sweeps.design import FULL, Design
from hardgen.sweeps.plan import Mode, Plan, plan
from hardgen.sweeps.settings import Settings
from hardgen.sweeps.shards import Shard
from hardgen.variant_files import Format

started = time.time()  # when this process, or its latest command, began


@dataclass(frozen=True)
class SweepOptions:
    """What `sweep` takes besides groups, axes and `Settings`."""

    report: bool = True
    dry_run: bool = False
    shard: str | None = None
    design: str = "full"
    questions: float | None = None


@dataclass(frozen=True)
class GenerateOptions:
    """What `generate` takes besides groups, axes and `Settings`."""

    format: str = "png"
    quality: int = 95
    dry_run: bool = False


@dataclass(frozen=True)
class DosesOptions:
    """What `list --doses` takes besides groups, axes and `Settings`."""

    images: int = 32
    out: str = "outputs/doses"
    dry_run: bool = False


@dataclass(frozen=True)
class CalibrateOptions:
    """What `calibrate` takes besides groups, axes and `Settings`."""

    measure: str = "error"
    steps: int = 5
    span: float = 0.8
    out: str = "outputs/calibrated"
    dry_run: bool = False


@dataclass(frozen=True)
class PreviewOptions:
    """What `preview` takes besides groups, axes and `Settings`."""

    images: int = 3
    size: int = 160
    out: str = "preview.png"


def _command(task: Callable[[DictConfig, Path], None]) -> Callable[[DictConfig], None]:
    """Makes a Hydra task: in a single run a user's mistake ends the command; in a multirun it is left in its folder."""

    @wraps(task)
    def run(config: DictConfig) -> None:
        hydra = HydraConfig.get()
        folder = Path(hydra.runtime.output_dir)
        job = Job(folder, list(hydra.overrides.task)) if hydra.mode is RunMode.MULTIRUN else None
        if job:
            job.begins()
        try:
            check_keys(task.__name__, config)
            if config.get("out") == "":
                raise HardgenError("out must name a folder; got nothing after out=")
            registry.find_installed()
            keep_freed_memory()
            for path in config.get("plugins") or []:
                registry.load_file(path)
            task(config, folder)
            if job:
                job.ends()
        except Exception as error:
            ours = isinstance(error, (HardgenError, OmegaConfBaseException, OSError))
            if job:
                job.fails(error, unexpected=not ours)
            if job and config.get("fail_fast"):
                raise Mistake(error, code=1) from error
            if not job and ours:
                raise Mistake(error) from error
            if not job:
                raise
        finally:
            # Hydra makes the folder of a run; one that was there before, as the working folder is, is the user's.
            if folder.is_dir() and folder.stat().st_mtime > started and not any(folder.iterdir()):
                folder.rmdir()

    return run


@_command
def sweep(config: DictConfig, out: Path) -> None:
    """Measures models as a function of every knob."""
    options, settings = options_of(SweepOptions, config), options_of(Settings, config)
    shard, design = Shard.parse(options.shard), Design.parse(options.design, options.questions)
    laid, dataset, models = _plan(config, design.stops, design), dataset_of(config), models_of(config)
    if options.dry_run:
        say_plan(laid, dataset, [m.name for m in models], shard)
        return
    told = {key: value for key, value in plain(config).items() if key != "tracking"}  # it may hold an address or a name
    run = run_sweep(laid, dataset, models, settings, out, told, options.report, shard)
    say_run(run, out)


@_command
def generate(config: DictConfig, out: Path) -> None:
    """Writes graded variants to image folders."""
    options, settings = options_of(GenerateOptions, config), options_of(Settings, config)
    laid, dataset = _plan(config, stops=5), dataset_of(config)
    image_format = choice(Format, options.format, "format")
    if options.dry_run:
        say_plan(laid, dataset, [])
        return
    failures = write_variants(laid, dataset, settings, out, image_format, options.quality)
    say_failures(failures)
    console.print(f"{len(laid.cells)} image folders and manifest.parquet lie in {out}", markup=False, soft_wrap=True)
    root = out / folder_of(laid.cells[-1])
    console.print(f"Next: hardgen sweep data=image_folder data.root={root} model=...", markup=False, soft_wrap=True)


@_command
def preview(config: DictConfig, folder: Path) -> None:
    """Draws a contact sheet."""
    options, settings = options_of(PreviewOptions, config), options_of(Settings, config)
    laid, dataset = _one_at_a_time(config, "preview", stops=5), dataset_of(config)
    count, size = options.images, options.size
    if count < 1 or size < 16:
        raise HardgenError(f"preview needs images of at least 1 and size of at least 16 px; got {count} and {size}")
    places = [i * len(dataset) // count for i in range(min(count, len(dataset)))]
    samples = list(load(dataset, places, 0, OnError.skip))
    say_failures([s for s in samples if isinstance(s, Failure)])
    shown = [s for s in samples if not isinstance(s, Failure)]
    if not shown:
        raise HardgenError("none of the images to preview could be read")
    batch = to_batch(shown, dataset.classes, donors(dataset, settings.seed))
    path = contact_sheet(laid, batch, settings.seed, size, Path(options.out))
    console.print(f"The contact sheet lies in {path}", markup=False, soft_wrap=True)


@_command
def doses(config: DictConfig, folder: Path) -> None:
    """Measures how far every perturbation moves the images."""
    options, settings = options_of(DosesOptions, config), options_of(Settings, config)
    laid, dataset, out = _one_at_a_time(config, "list --doses"), dataset_of(config), Path(options.out)
    if options.images < 1:
        raise HardgenError(f"images must be at least 1; got {options.images}")
    if options.dry_run:
        say_plan(laid, dataset, [])
        return
    table = measure_doses(laid, dataset, settings, options.images)
    save_doses(table, out)
    figures = save_dose_figures(table, out)
    say_doses(table, out, figures)


@_command
def calibrate(config: DictConfig, folder: Path) -> None:
    """Spaces knobs anew."""
    options, settings = options_of(CalibrateOptions, config), options_of(Settings, config)
    laid, dataset = _one_at_a_time(config, "calibrate", stops=33), dataset_of(config)
    measure = choice(Measure, options.measure, "measure")
    models = models_of(config) if measure is Measure.error else []
    if options.dry_run:
        say_plan(laid, dataset, [m.name for m in models])
        return
    how = (measure, options.steps, options.span)
    say_calibration(space_anew(laid, dataset, models, settings, Path(options.out), plain(config), *how))


@_command
def report(config: DictConfig, folder: Path) -> None:
    """Makes the page of one or several runs."""
    if OmegaConf.is_missing(config, "runs"):
        raise HardgenError("runs must be given: hardgen report RUN [RUN ...]")
    runs = [config.runs] if isinstance(config.runs, str) else plain(config.runs)
    if not isinstance(runs, list) or not runs or not all(isinstance(run, str) for run in runs):
        raise HardgenError(f"runs must be a folder or a list of folders; got {runs!r}")
    out = config.out or (None if len(runs) == 1 else "report")
    page = make_report(runs, out)
    console.print(f"Open {page}", markup=False, soft_wrap=True)


def runs_as_override(words: Sequence[str]) -> list[str]:
    """Lets `hardgen report RUN_A RUN_B` stand for `runs=[RUN_A,RUN_B]`."""
    paths = [word for word in words if "=" not in word and not word.startswith("-")]
    rest = [word for word in words if word not in paths]
    quoted = ",".join("'" + path.replace("\\", "\\\\").replace("'", "\\'") + "'" for path in paths)
    return [*rest, f"runs=[{quoted}]"] if paths else rest


def _one_at_a_time(config: DictConfig, command: str, stops: int = 11) -> Plan:
    laid = plan(*_axes(config, stops), Mode.one_at_a_time)
    if config.get("mode", Mode.one_at_a_time.name) != Mode.one_at_a_time.name:
        raise HardgenError(f"{command} shows axes one at a time; got mode={config.mode}")
    return laid


def _plan(config: DictConfig, stops: int, design: Design = FULL) -> Plan:
    """The plan that a config describes, with so many stops on an axis if it does not say."""
    return plan(*_axes(config, stops), choice(Mode, config.mode, "mode"), design)


def _axes(config: DictConfig, stops: int) -> tuple[Pipeline, list[Axis]]:
    """The pipeline and its axes: those asked for, else those that a preset pipeline brings, else every main knob."""
    pipeline = pipeline_of(config)
    hardness = {"start": 0, "stop": 1, "num": stops} if config.hardness is None else plain(config.hardness)
    return pipeline, read_axes(pipeline, plain(config.pipeline_axes if config.axes is None else config.axes), hardness)
