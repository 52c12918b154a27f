"""The commands on a small world: what they write, and that it is what they say."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

import hardgen
from hardgen.data.image_folder import ImageFolder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def words(photos: Path, net: Path) -> list[str]:
    return [
        "data=image_folder",
        f"data.root={photos}",
        "model=module",
        f"model.factory={net}:mean",
        "model.classes=[dark,bright]",
    ]


def test_sweep_writes_a_complete_run(run: Run, words: list[str]) -> None:
    code, _, err = run("sweep", *words, "pipeline=[contrast,gaussian_noise]", "hardness=[0.5,1]", "out=run")
    assert code == 0, err
    folder = Path("run")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["planned"] == manifest["done"] == 5 * 12
    curves = pl.read_parquet(folder / "curves.parquet")
    assert curves.columns == ["model", "axis", "hardness", "value", "unit", "n", "accuracy", "low", "high"]
    assert curves.height == 2 * 3
    assert curves.filter(pl.col("hardness") == 0)["accuracy"].to_list() == [1.0, 1.0]
    samples = pl.concat([pl.read_parquet(folder / "samples" / p) for p in manifest["parts"]])
    assert samples.height == 60
    doses = pl.concat([pl.read_parquet(folder / "doses" / p) for p in manifest["doses"]])
    assert {"contrast.rms_contrast", "contrast.rmse", "gaussian_noise.rmse"} <= set(doses["dose"])
    assert doses.filter(pl.col("dose") == "contrast.rmse").height == 12 * 2
    page = (folder / "report.html").read_text()
    assert "contrast" in page
    assert list((folder / "figures").glob("*.png"))
    assert list((folder / "figures").glob("*.svg"))
    assert "report.html" in err


def test_a_dry_run_prints_the_plan_and_writes_nothing(run: Run, words: list[str]) -> None:
    code, _, err = run("sweep", *words, "pipeline=contrast", "--dry-run", "out=run")
    assert code == 0
    assert "132" in err
    assert not Path("run").exists()


def test_generate_writes_what_perturb_gives_and_the_manifest_says_so(run: Run, words: list[str], photos: Path) -> None:
    code, _, err = run("generate", *words[:2], "pipeline=gaussian_blur", "hardness=[0.5]", "out=variants", "seed=3")
    assert code == 0, err
    table = pl.read_parquet("variants/manifest.parquet")
    assert table.height == 24
    for row in table.iter_rows(named=True):
        data = (Path("variants") / row["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == row["sha256"]
        made = np.asarray(Image.open(Path("variants") / row["file"]))
        source = np.asarray(Image.open(photos / row["sample_id"]))
        sigma = row["gaussian_blur.sigma.requested"]
        expected = (
            source
            if sigma is None
            else hardgen.perturb(source, "gaussian_blur", sigma=sigma, seed=3, ids=[row["sample_id"]])
        )
        assert np.array_equal(made, expected)
        assert row["seed"] == 3
        assert json.loads(row["spec"]) == ([] if sigma is None else json.loads(row["spec"]))
    assert table.filter(pl.col("gaussian_blur.sigma.requested").is_not_null())["gaussian_blur.rmse"].min() > 0


def test_a_generated_condition_is_an_image_folder_on_which_a_model_does_as_in_the_sweep(
    run: Run, words: list[str]
) -> None:
    noise = ["pipeline=gaussian_noise", "axes={gaussian_noise.sigma:{values:[0.4]}}"]
    assert run("sweep", *words, *noise, "out=run")[0] == 0
    assert run("generate", *words[:2], *noise, "out=variants")[0] == 0
    assert (
        run(
            "sweep", "data=image_folder", "data.root=variants/gaussian_noise.sigma_0.4", *words[2:], *noise, "out=again"
        )[0]
        == 0
    )
    first, again = hardgen.Run.open("run"), hardgen.Run.open("again")
    at = [run.conditions.filter((pl.col("axis") != "clean") == noisy) for run, noisy in ((first, True), (again, False))]
    noisy = first.answers.join(at[0], on="condition_id", how="semi").sort("sample_id")
    clean = again.answers.join(at[1], on="condition_id", how="semi").sort("sample_id")
    assert noisy["loss"].to_list() == pytest.approx(clean["loss"].to_list(), abs=1e-5)


def test_jpeg_by_choice(run: Run, words: list[str]) -> None:
    assert (
        run("generate", *words[:2], "pipeline=contrast", "hardness=[1]", "format=jpeg", "quality=80", "out=v")[0] == 0
    )
    with Image.open(next(Path("v").rglob("*.jpeg"))) as image:
        assert image.format == "JPEG"


def test_preview_draws_every_axis(run: Run, words: list[str]) -> None:
    code, _, _ = run("preview", *words[:2], "pipeline=[contrast,gaussian_blur]", "images=2", "size=64")
    assert code == 0
    with Image.open("preview.png") as sheet:
        assert sheet.width > 5 * 64
        assert sheet.height > 4 * 64


def test_preview_names_the_file_it_wrote(run: Run, words: list[str]) -> None:
    code, _, err = run("preview", *words[:2], "pipeline=contrast", "images=1", "size=32", "out=sheets/mine")
    assert code == 0
    assert "lies in sheets/mine.png" in err
    assert Path("sheets/mine.png").is_file()


@pytest.mark.parametrize("width", ["40", "80"])
def test_names_in_tables_fold_and_are_not_cut(run: Run, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setattr("hardgen.progress.console._width", int(width))
    code, _, err = run("sweep", "--dry-run", "pipeline=[albumentations_plasma_shadow,superpixels]")
    assert code == 0
    assert "…" not in err
    assert "x 1 model (digits_cnn) = 10,500 answers" in err


def test_unreadable_images_are_named_and_counted_or_stop_the_run(run: Run, words: list[str], photos: Path) -> None:
    (photos / "dark" / "broken.png").write_bytes(b"no image")
    quick = ["pipeline=contrast", "hardness=[1]"]
    code, _, err = run("sweep", *words, *quick, "out=run")
    assert code == 0
    assert "Left out 1 image that could not be read" in err
    assert "dark/broken.png" in err
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert [f["sample_id"] for f in manifest["failures"]] == ["dark/broken.png"]
    assert manifest["done"] == 2 * 12
    again, _, err = run("sweep", *words, *quick, "out=run")
    assert again == 0
    assert "dark/broken.png" in err
    code, _, err = run("sweep", *words, *quick, "out=strict", "on_error=raise")
    assert code == 2
    assert "dark/broken.png" in err


def test_list_json_is_a_list_of_objects(run: Run) -> None:
    code, out, _ = run("list", "--json")
    rows = json.loads(out)
    assert code == 0
    assert {"gaussian_blur", "rectangle", "clutter"} <= {row["name"] for row in rows}
    assert all(row["family"] and row["knobs"] and row["knobs"][0]["unit"] for row in rows)


def test_list_and_help_teach(run: Run) -> None:
    assert "gaussian_blur" in run("list")[1]
    assert "hardgen sweep" in run("--help")[1]
    assert run()[0] == 0
    for command in ("list", "preview", "generate", "sweep", "report"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert out.count(f"hardgen {command}") >= 3


def test_a_plugin_file_is_an_option_everywhere(run: Run, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "veil.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "from hardgen import PhotometricPerturbation, knob, register\n"
        "@register('test_veil', family='test')\n"
        "@dataclass(frozen=True)\n"
        "class Veil(PhotometricPerturbation):\n"
        "    '''A veil.'''\n"
        "    depth: float = knob(0.0, 1.0, 'of full scale', 'Depth.')\n"
        "    def perturb(self, images, rng):\n"
        "        return images * (1 - self.depth)\n"
    )
    code, _, err = run("sweep", *words, f"plugins=[{path}]", "pipeline=test_veil", "hardness=[1]", "out=run")
    assert code == 0, err
    assert hardgen.Run.open("run").axes[0]["axis"] == "test_veil.depth"


def test_brackets_in_a_path_are_a_path(run: Run, words: list[str]) -> None:
    quick = ["pipeline=contrast", "hardness=[1]"]
    assert run("sweep", *words, *quick, "out='a[b]/run*'")[0] == 0
    assert hardgen.Run.open("a[b]/run*").answers.height == 24
    assert run("generate", *words[:2], *quick, "out='a[b]/variants'")[0] == 0


def test_generate_never_mixes_two_configurations_in_one_folder(run: Run, words: list[str]) -> None:
    quick = [*words[:2], "pipeline=gaussian_noise", "out=v"]

    def whole() -> bool:
        table = pl.read_parquet("v/manifest.parquet")
        sums = [hashlib.sha256((Path("v") / file).read_bytes()).hexdigest() for file in table["file"]]
        listed = {Path("v") / file for file in table["file"]}
        return sums == table["sha256"].to_list() and listed == set(Path("v").rglob("*.png"))

    for options in (["seed=0"], ["seed=1"], ["seed=0"], ["seed=0", "hardness=[0.3]"]):
        assert run("generate", *quick, *options)[0] == 0
        assert whole()


def test_generate_restores_a_lost_or_changed_file(run: Run, words: list[str]) -> None:
    quick = [*words[:2], "pipeline=contrast", "hardness=[1]", "out=v"]
    assert run("generate", *quick)[0] == 0
    first = {p: p.read_bytes() for p in Path("v").rglob("*.png")}
    lost, changed = list(first)[:2]
    lost.unlink()
    changed.write_bytes(first[lost])
    assert run("generate", *quick)[0] == 0
    assert {p: p.read_bytes() for p in Path("v").rglob("*.png")} == first


def test_every_class_has_a_folder_and_odd_names_stay_inside(run: Run, words: list[str], tmp_path: Path) -> None:
    picture = next((tmp_path / "photos").rglob("*.png"))
    rows = [f"{picture.parent / f'{i}.png'},{name}" for i, name in enumerate(["..", ".hid", "a/b", "A/B", "CON"])]
    (tmp_path / "odd.csv").write_text("\n".join(["path,label", *rows]))
    out = tmp_path / "work" / "v"
    words = ["data=manifest", f"data.path={tmp_path / 'odd.csv'}", "pipeline=contrast", "hardness=[1]", f"out={out}"]
    assert run("generate", *words)[0] == 0
    table = pl.read_parquet(out / "manifest.parquet")
    assert table["file"].n_unique() == 10
    assert all((out / file).resolve().is_relative_to(out.resolve()) and "/." not in file for file in table["file"])
    assert len({p.name.casefold() for p in (out / "clean").iterdir()}) == 5
    assert run("generate", *words, "data.limit=2")[0] == 0
    assert len(list((out / "clean").iterdir())) == 5


def test_names_that_are_no_utf8_go_through_sweep_and_generate(run: Run, words: list[str], photos: Path) -> None:
    (photos / "dark" / "0.png").rename(photos / "dark" / os.fsdecode(b"0\xff.png"))
    (photos / "dark" / "1.png").rename(photos / "dark" / os.fsdecode(b"1\xfe.png"))
    (photos / "dark" / os.fsdecode(b"1\xfe.png")).write_bytes(b"no image")
    for command in (["sweep", *words, "out=run"], ["generate", *words[:2], "out=variants"]):
        code, out, err = run(*command, "pipeline=gaussian_noise", "hardness=[0.5]")
        assert code == 0, err
        assert r"dark/1\udcfe.png" in out + err
    assert r"dark/0\udcff.png" in hardgen.Run.open("run").answers["sample_id"].to_list()
    assert pl.read_parquet("variants/manifest.parquet").height == 22


def test_a_run_s_folder_may_have_a_name_that_is_no_utf8(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / os.fsdecode(b"run\xff")
    hardgen.sweep(
        lambda x: x.mean((2, 3))[:, :2], ImageFolder(str(photos)).build(), "contrast", hardness=[0.5], out=out
    )
    assert hardgen.Run.open(out).answers.height == 24
