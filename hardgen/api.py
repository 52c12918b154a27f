"""The same jobs from Python: `perturb` and `sweep` give what the commands give."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from numpy.typing import NDArray
from torch import Tensor

from hardgen import perturbations as _catalogue  # noqa: F401  (registers the catalogue)
from hardgen.batch import Batch, Donors
from hardgen.data.dataset import Dataset
from hardgen.data.loading import OnError, sample_photographs
from hardgen.data.wrapped import wrap
from hardgen.engine import run_sweep
from hardgen.errors import HardgenError, choice, shown
from hardgen.images import like, to_float
from hardgen.models.callable import wrap_callable
from hardgen.models.model import Model
from hardgen.perturbation import Perturbation
from hardgen.pipeline import Pipeline, build
from hardgen.sweeps.axes import read_axes
from hardgen.sweeps.design import Design
from hardgen.sweeps.plan import Mode, plan
from hardgen.sweeps.results import Run
from hardgen.sweeps.settings import Settings
from hardgen.sweeps.shards import Shard

Images = TypeVar("Images", Tensor, NDArray[Any])

FOUR_FAMILIES = {"occlusion": "rectangle", "blur": "gaussian_blur", "contrast": "contrast", "distractors": "clutter"}
"""The default pipeline, slot by slot."""


def perturb(
    images: Images,
    perturbation: str | Perturbation,
    *,
    hardness: float | None = None,
    seed: int = 0,
    ids: Sequence[str] | None = None,
    labels: Sequence[int] | None = None,
    boxes: Sequence[Any] | None = None,
    masks: Tensor | NDArray[Any] | None = None,
    donors: Donors | None = None,
    classes: Sequence[str] = (),
    slot: str | None = None,
    **fields: Any,
) -> Images:
    """Makes images harder.

    Args:
        images: A tensor, C x H x W or B x C x H x W, or an array, H x W, H x W x C or B x H x W x C; C is 1 or 3. Type
            uint8, or float in [0, 1].
        perturbation: A registered name, or a perturbation.
        hardness: The main knob's position, 0 (neutral) to 1 (hardest); or give knobs and settings by name instead.
        seed: Keys every draw.
        ids: Sample ids, which key the draws too; "0", "1", ... unless given. For the pixels of a run, give its ids.
        labels: Class indices, for distractors that choose by class.
        boxes: Per image n x 4 (tensor, array or lists): x0, y0, x1, y1 in pixels, right and lower edge exclusive.
        masks: B x 1 x H x W bool, the target's pixels.
        donors: Other images for distractors and textures; two photographs unless given.
        classes: Class names by label, for overlaid words.
        slot: The slot whose draws are meant; the perturbation's name unless given.
        **fields: Knobs in their units, and settings: `sigma=0.02`.

    Returns:
        The perturbed images, in the form that they came in. 8-bit images come back in 8 bits, exactly as `generate`
        writes them and `sweep` shows them to models; float images come back unrounded, without gradients.

    Raises:
        HardgenError: for images of another form or range, an unknown name, or a value out of range.
    """
    if not isinstance(perturbation, (str, Perturbation)):
        raise HardgenError(f"perturbation must be a registered name or a perturbation; got {shown(perturbation)}")
    chosen = build(perturbation, fields, KEYWORDS) if isinstance(perturbation, str) else perturbation
    if not isinstance(perturbation, str) and fields:
        raise HardgenError(f"give {', '.join(fields)} to the perturbation itself, or name it by its registered name")
    if hardness is not None:
        main = next(iter(chosen.knobs()))
        if main in fields:
            raise HardgenError(f"give hardness or {main}, not both: hardness sets {main}")
        chosen = chosen.at(hardness)
    tensor = to_float(images)
    pool = sample_photographs() if donors is None and chosen.needs_donors else donors
    if isinstance(pool, Donors):
        pool = Donors(pool.images.to(tensor.device), pool.labels, pool.ids)
    names: Any = range(len(tensor)) if ids is None else ids
    known: tuple[Any, ...] = (() if labels is None else labels, boxes, masks, pool, classes)
    batch = Batch(tensor, names, *known)
    if chosen.neutral:
        return images.detach().clone() if isinstance(images, Tensor) else images.copy()
    pipeline = Pipeline({slot or chosen.name: chosen})
    return cast(Images, like(pipeline(batch, pipeline.rngs(seed, batch)).batch.images, images))


def sweep(
    model: Model | Callable[[Tensor], Tensor] | Mapping[str, Model | Callable[[Tensor], Tensor]],
    dataset: Dataset | Any,
    pipeline: str | Sequence[str] | Mapping[str, str | Perturbation] | Pipeline = FOUR_FAMILIES,
    *,
    axes: Any = None,
    hardness: Any = None,
    mode: str = "one_at_a_time",
    design: str = "full",
    questions: float | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    batch_size: int = 32,
    workers: int = 0,
    device: str = "auto",
    on_error: str = "skip",
    fail_fast: bool = False,
    report: bool = True,
    shard: str | None = None,
) -> Run:
    """Measures models as a function of every knob.

    Args:
        model: A hardgen model; any callable from B x 3 x H x W images in [0, 1] to B x classes logits; or a mapping
            from name to either, asked on the same pixels.
        dataset: A hardgen dataset, or any `torch.utils.data.Dataset` of (image, label).
        pipeline: A pipeline; a perturbation's name, or several (each in a slot of its name); or a mapping from slot to
            perturbation or name.
        axes: What to turn: see `hardgen.sweeps.axes.read_axes`.
        hardness: The stops of every axis; 0 to 1 by 0.1 unless given, or 33 from 0 to 1 where `design` is `levels`.
        mode: `one_at_a_time`, `grid` or `together`.
        design: `full` asks every image at every stop; `levels` asks each at a few stops of every axis, from which the
            same curves are made.
        questions: At how many stops of an axis `levels` asks an image on average; 5.25 unless given.
        seed: Keys every draw.
        out: The run's folder; dated unless given. The same one again goes on where it stopped.
        batch_size: Images perturbed at a time.
        workers: Processes that decode images.
        device: `auto`, `cpu` or `cuda`.
        on_error: `skip` or `raise`.
        fail_fast: Whether the first failure of a model or a perturbation ends the sweep; else the rest is asked first.
        report: Whether pictures, figures and the page are made; the tables always are.
        shard: Which share of the images to ask about, as `1/4` to `4/4`; all unless given. The runs of all shards, put
            together by `hardgen.sweeps.merging.merge`, hold the tables of one run over all images.

    Returns:
        The run, read back from its folder.
    """
    named = model if isinstance(model, Mapping) else {getattr(model, "name", "model"): model}
    models = [wrap_callable(m, name) for name, m in named.items()]
    made = pipeline if isinstance(pipeline, Pipeline) else _pipeline(pipeline)
    asking = Design.parse(design, questions)
    hardness = {"start": 0, "stop": 1, "num": asking.stops} if hardness is None else hardness
    laid = plan(made, read_axes(made, axes, hardness), choice(Mode, mode, "mode"), asking)
    settings = Settings(seed, batch_size, workers, device, choice(OnError, on_error, "on_error"), fail_fast)
    folder = Path(out) if out else Path("outputs") / "sweep" / datetime.now().strftime("%Y-%m-%d_%H-%M-%S-%f")
    config = {"seed": seed, "mode": mode, "batch_size": batch_size, "workers": workers, "device": device}
    config |= {"design": design, "questions": asking.questions} if asking.key else {}
    config |= {} if shard is None else {"shard": shard}
    return run_sweep(laid, wrap(dataset), models, settings, folder, config, report, Shard.parse(shard))


def _pipeline(content: str | Sequence[str] | Mapping[str, str | Perturbation]) -> Pipeline:
    if isinstance(content, str):
        content = [content]
    names = [] if isinstance(content, Mapping) else list(content)
    twice = next((name for name in names if not isinstance(name, str) or names.count(name) > 1), None)
    if twice is not None:
        raise HardgenError(f"pipeline: a list must hold different names (give a mapping for more); got {shown(twice)}")
    slots = content if isinstance(content, Mapping) else {name: name for name in names}
    return Pipeline({slot: build(p, {}) if isinstance(p, str) else p for slot, p in slots.items()})


KEYWORDS = [name for name, kind in inspect.signature(perturb).parameters.items() if kind.kind is kind.KEYWORD_ONLY]
