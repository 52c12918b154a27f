"""Real photographs and real models, through the command line."""

from pathlib import Path

import polars as pl
import pytest

from hardgen.cli import main


@pytest.mark.parametrize(
    ("data", "model", "least"),
    [
        (["data=image_folder", "data.root={d}/cifar10_5k"], "resnets", 0.85),
        (
            ["data=manifest", "data.path={d}/imagenet600/labels.csv", "data.resize=256", "data.crop=224"],
            "mobilenets",
            0.35,
        ),
    ],
    ids=["cifar10", "imagenet"],
)
def test_three_models_over_four_families(
    test_data: Path, tmp_path: Path, data: list[str], model: str, least: float
) -> None:
    nets, lites = test_data / "models" / "cifar10_resnet", test_data / "models" / "imagenet_mobilenet_tflite"
    panels = {
        "resnets": [
            f"resnet{d}: {{kind: module, factory: '{nets}/net.py:resnet{d}', "
            f"weights: '{next(nets.glob(f'resnet{d}-*'))}', "
            "mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}"
            for d in (20, 32, 56)
        ],
        "mobilenets": [
            f"m{i}: {{kind: litert, path: '{p}', skip_outputs: 1}}"
            for i, p in enumerate(sorted(lites.glob("*.tflite")))
        ],
    }
    if model == "mobilenets":
        pytest.importorskip("ai_edge_litert")
    (tmp_path / "conf" / "model").mkdir(parents=True)
    (tmp_path / "conf" / "model" / f"{model}.yaml").write_text("\n".join(panels[model]))
    words = [word.format(d=test_data) for word in data]
    out = tmp_path / "run"
    code = main(
        [
            "sweep",
            "--config-dir",
            str(tmp_path / "conf"),
            *words,
            "data.limit=60",
            f"model={model}",
            "hardness=[1]",
            f"out={out}",
        ]
    )
    assert code == 0
    curves = pl.read_parquet(out / "curves.parquet")
    assert curves["model"].n_unique() == 3
    assert curves["axis"].n_unique() == 4
    clean, hardest = curves.filter(pl.col("hardness") == 0), curves.filter(pl.col("hardness") == 1)
    assert clean["accuracy"].min() > least
    worst = hardest.filter(~pl.col("axis").str.starts_with("distractors"))
    assert worst["accuracy"].max() < 0.35
