"""The chain of choices that a result hangs on, and what each choice leaves out.

After M. M. Malik, "A Hierarchy of Limitations in Machine Learning" (2020, arXiv 2002.05193): a measurement is the end
of a chain of choices, and each narrows what the number can say.
"""

from collections.abc import Mapping, Sequence
from typing import Any

METRIC = "top-1 accuracy: the share of images whose most probable class is the label"


def chain(
    data: Mapping[str, Any],
    models: Sequence[Mapping[str, Any]],
    axes: Sequence[Mapping[str, Any]],
    metric: str = METRIC,
) -> list[dict[str, str]]:
    """The links from phenomenon to aggregate, in order.

    Args:
        data: The manifest's data: `name`, `n`, `classes`, `config`; of a shard also `of` and `shards`.
        models: Its models: `name`, `config`.
        axes: Its axes: `axis`, `perturbation`, `doc`, `limits`, `neutral`, `hardest`, `unit`.
        metric: What is counted, in words.

    Returns:
        `link`, `choice` and `limits`, each a text; one link each for phenomenon, images, label set, metric and
        aggregate, and one for every axis' perturbation and every model.
    """
    classes = len(data.get("classes") or ())
    phenomena = list(dict.fromkeys(_words(axis["perturbation"]) for axis in axes))
    links = [
        (
            "phenomenon",
            f"What makes an image hard to recognise is taken to be {_listed(phenomena) or 'nothing'}, by degrees.",
            "Other causes of hardness are not asked about, nor how often these occur where a model is used.",
        ),
        *(_perturbation(axis) for axis in axes),
        (
            "images",
            f"{counted(data)} images of {data.get('name', '?')}{_settings(data.get('config'))}.",
            "The result holds for images drawn as these were, with the selection, cropping and errors of their source.",
        ),
        (
            "label set",
            f"One label an image, out of {classes or 'an unknown number of'} classes.",
            "An image that shows several things, or one at the border of two classes, has one right answer here; "
            "a variant keeps its image's label even where nobody could tell it any more.",
        ),
        *(_model(model) for model in models),
        (
            "metric",
            metric[:1].upper() + metric[1:] + ".",
            "Every mistake costs the same; how sure a model was, and how near its answer came, do not count.",
        ),
        (
            "aggregate",
            "Accuracy over all images for each condition; a threshold and an area for each curve; "
            "intervals from resampling the images.",
            "Averages hide which images and classes are lost; intervals cover the draw of images, "
            "not that of training runs, perturbation seeds or data sets.",
        ),
    ]
    return [{"link": link, "choice": choice, "limits": limits} for link, choice, limits in links]


def counted(data: Mapping[str, Any]) -> str:
    """How many images were asked about, in words: `600`, or `150 of 600 (shard 1/4)`."""
    if "shards" not in data:
        return str(data.get("n", "?"))
    return f"{data['n']} of {data['of']} (shard{'s' * (len(data['shards']) > 1)} {', '.join(data['shards'])})"


def _perturbation(axis: Mapping[str, Any]) -> tuple[str, str, str]:
    span = f"from {_number(axis.get('neutral'))} to {_number(axis.get('hardest'))} {axis.get('unit', '')}".rstrip()
    doc = str(axis.get("doc", "")).strip().rstrip(".")
    choice = f"{axis['axis']} turns {axis['perturbation']} {span}{': ' + doc[:1].lower() + doc[1:] if doc else ''}."
    return "perturbation", choice, str(axis.get("limits") or "What it does not simulate is not stated.")


def _model(model: Mapping[str, Any]) -> tuple[str, str, str]:
    return (
        "model",
        f"{model['name']}{_settings(model.get('config'))}; each model does its own preprocessing.",
        "One set of weights: another training run, or another resize and crop, can answer differently.",
    )


def _settings(config: Any) -> str:
    """Plain settings of a configuration, in brackets."""
    if not isinstance(config, Mapping):
        return ""
    plain = [f"{k}={v}" for k, v in config.items() if isinstance(v, (str, int, float)) and not str(k).startswith("_")]
    return f" ({', '.join(plain)})" if plain else ""


def _words(name: Any) -> str:
    return str(name).replace("_", " ")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def _number(value: Any) -> str:
    number = float("nan") if value is None else float(value)
    return f"{number:g}"
