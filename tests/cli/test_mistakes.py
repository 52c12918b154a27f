"""Every mistake that a user can mend: one line, exit code 2, no traceback, and nothing left behind."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def assert_one_line(result: tuple[int, str, str], *parts: str) -> None:
    code, _, err = result
    lines = [line for line in err.splitlines() if line.strip()]
    assert code == 2, err
    assert len(lines) == 1, err
    assert lines[0].startswith("hardgen: error: ")
    for part in parts:
        assert part in lines[0], err


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["sweep", "pipeline=gausian_blur"], ["unknown pipeline 'gausian_blur'", "did you mean 'gaussian_blur'"]),
        (["sweep", "+perturbation@pipeline.x=gausian_blur"], ["unknown perturbation", "did you mean 'gaussian_blur'"]),
        (["sweep", "pipeline=none", "+pipeline.x={perturbation: gausian_blur}"], ["did you mean 'gaussian_blur'"]),
        (["sweep", "pipeline.blur.sigma=3"], ["gaussian_blur.sigma must be in [0, 0.1] of the short side; got 3"]),
        (["sweep", "pipeline.blur.sigma=much"], ["gaussian_blur.sigma must be in", "got 'much'"]),
        (["sweep", "pipeline.blur.sigm=0.01"], ["unknown config key 'sigm' of 'pipeline.blur'", "'sigma'"]),
        (["sweep", "out="], ["out must name a folder; got nothing after out="]),
        (["generate", "out="], ["out must name a folder"]),
        (["sweep", "sede=1"], ["unknown config key 'sede'", "did you mean 'seed'"]),
        (["sweep", "data.rot=x"], ["unknown config key 'rot' of 'data'"]),
        (["sweep", "data=imagefolder"], ["unknown data 'imagefolder'", "did you mean 'image_folder'"]),
        (["sweep", "model=digitscnn"], ["unknown model 'digitscnn'", "did you mean 'digits_cnn'"]),
        (["sweep", "axes=[blur.sigm]"], ["no knob 'sigm'", "did you mean 'sigma'"]),
        (["sweep", "axes=[blr.sigma]"], ["no slot 'blr'", "did you mean 'blur'"]),
        (["sweep", "hardness=[2]"], ["hardness must be in [0, 1]; got 2"]),
        (["sweep", "hardness=[]"], ["hardness must name at least one number"]),
        (["sweep", "mode=gird"], ["mode: unknown 'gird'", "did you mean 'grid'"]),
        (["sweep", "mode=grid", "axes=[blur]"], ["mode=grid needs two axes or more; got 1"]),
        (["sweep", "pipeline=none"], ["the pipeline has no slots"]),
        (["sweep", "batch_size=0"], ["batch_size must be in [1, 256]; got 0"]),
        (["sweep", "batch_size=many"], ["batch_size", "many"]),
        (["sweep", "device=tpu"], ["device must be auto, cpu"]),
        (["sweep", "on_error=ignore"], ["on_error", "ignore"]),
        (["sweep", "data=image_folder"], ["data.root must be given"]),
        (["sweep", "data=image_folder", "data.root=nowhere"], ["data.root", "nowhere"]),
        (["sweep", "data=manifest", "data.path=nowhere.csv"], ["data.path", "nowhere.csv"]),
        (["sweep", "data.limit=few"], ["data.limit", "few"]),
        (["sweep", "model=module", "model.factory=nowhere.py:f"], ["nowhere.py"]),
        (["sweep", "model=onnx", "model.path=nowhere.onnx"], ["model.path", "nowhere.onnx"]),
        (["sweep", "model=litert", "model.path=nowhere.tflite"], ["model.path", "nowhere.tflite"]),
        (["sweep", "model=torchvision", "model.arch=resnet1"], ["resnet1"]),
        (["sweep", "plugins=[nowhere.py]"], ["plugins: no such file: nowhere.py"]),
        (["sweep", "seed=[1"], ["cannot read the overrides"]),
        (["sweep", "pipeline=null"], ["Config group override"]),
        (["sweep", "data=3"], ["Config group override"]),
        (["sweep", "pipeline=[]"], ["pipeline must be a mapping"]),
        (["sweep", "pipeline=[contrast,gausian_blur]"], ["unknown pipeline", "did you mean 'gaussian_blur'"]),
        (["sweep", "+perturbation@pipline.x=contrast"], ["unknown config key 'pipline'", "did you mean 'pipeline'"]),
        (["sweep", "+model@modl.other=digits_cnn"], ["unknown config key 'modl'", "did you mean 'model'"]),
        (["sweep", "+hardnes=[0.5]"], ["unknown config key 'hardnes'", "did you mean 'hardness'"]),
        (["sweep", "++sede=3"], ["unknown config key 'sede'", "did you mean 'seed'"]),
        (["sweep", "report=maybe"], ["report", "maybe"]),
        (["sweep", "dry_run=perhaps"], ["dry_run", "perhaps"]),
        (["sweep", "out=/proc/x"], ["cannot read or write", "/proc/x"]),
        (["generate", "out=/proc/x"], ["cannot read or write", "/proc/x"]),
        (["generate", "quality=high"], ["quality", "high"]),
        (["preview", "out=/proc/x.png", "data.limit=10", "images=1"], ["cannot read or write", "/proc/"]),
        (["preview", "images=many"], ["images", "many"]),
        (["report", "runs=3"], ["runs must be a folder or a list of folders; got 3"]),
        (["generate", "format=gif"], ["format: unknown 'gif'"]),
        (["generate", "format=jpeg", "quality=0"], ["quality must be in [1, 100]; got 0"]),
        (["preview", "images=0"], ["images"]),
        (["report", "nowhere"], ["nowhere"]),
        (["report"], ["runs"]),
        (["sweep", "hardness=start:0", "hardness=num:5"], ["got 'num:5'", "quote them, hardness='{...}'"]),
        (["sweep", "axes={blur.sigma:values:[0.1}", "axes={blur.sigma:0.2]}"], ["quote them, axes='{...}'"]),
        (["swep"], ["unknown command 'swep'", "did you mean 'sweep'"]),
        (["list", "--jsn"], ["list takes --json"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_is_one_line(run: Run, tmp_path: Path, words: list[str], parts: list[str]) -> None:
    assert_one_line(run(*words), *parts)
    assert [p for p in (tmp_path / "work").rglob("*") if p.is_file()] == []


def test_an_empty_folder_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert_one_line(run("sweep", "data=image_folder", f"data.root={tmp_path / 'empty'}"), "data.root", "empty")


def test_a_label_that_the_model_does_not_have_is_named(run: Run, photos: Path, net: Path) -> None:
    for i in range(3):
        (photos / f"x{i}").mkdir()
        (photos / f"x{i}" / "a.png").write_bytes((photos / "dark" / "0.png").read_bytes())
    words = ["data=image_folder", f"data.root={photos}", "model=module", f"model.factory={net}:mean"]
    assert_one_line(run("sweep", *words), "x0")


def test_a_missing_weights_file_is_named(run: Run, net: Path) -> None:
    words = ["model=module", f"model.factory={net}:mean", "model.weights=nowhere.pt"]
    assert_one_line(run("sweep", *words), "model.weights", "nowhere.pt")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("x = (", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("", "registers no"),
    ],
)
def test_a_named_plugin_file_that_fails_is_named(run: Run, tmp_path: Path, source: str, why: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)
    assert_one_line(run("sweep", f"plugins=[{path}]"), "mine.py", why)


def test_images_of_several_sizes_are_named_with_the_keys_to_set(run: Run, photos: Path, net: Path) -> None:
    from PIL import Image

    Image.new("RGB", (30, 24)).save(photos / "dark" / "wide.png")
    words = ["data=image_folder", f"data.root={photos}", "model=module", f"model.factory={net}:mean"]
    code, _, err = run("sweep", *words)
    assert code == 2
    assert "data.resize and data.crop" in err
    assert "wide.png" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("timm", ["model=timm", "model.arch=resnet18"]),
        ("onnxruntime", ["model=onnx", "model.path={file}"]),
        ("ai_edge_litert", ["model=litert", "model.path={file}"]),
    ],
)
def test_an_extra_that_is_not_installed_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, words: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "net").write_bytes(b"a file")
    extra = words[0].removeprefix("model=")
    result = run("sweep", *(word.format(file=tmp_path / "net") for word in words))
    assert_one_line(result, f"pip install 'hardgen[{extra}]'")


def test_an_out_that_is_a_file_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    code, _, err = run("sweep", f"out={tmp_path / 'taken'}", "data.limit=10")
    assert code == 2
    assert "taken" in err
    assert "Traceback" not in err


def test_no_means_no(run: Run) -> None:
    code, _, _ = run(
        "sweep", "dry_run=no", "report=no", "data.limit=10", "pipeline=contrast", "hardness=[1]", "out=run"
    )
    assert code == 0
    assert Path("run/curves.parquet").exists()
    assert not Path("run/report.html").exists()


def test_a_misspelt_preset_is_named_with_its_folder(run: Run) -> None:
    code, _, err = run("sweep", "pipeline=human/contrst")
    assert code == 2
    assert "unknown pipeline 'human/contrst'; did you mean 'human/contrast'?" in " ".join(err.split())


def test_list_names_presets(run: Run) -> None:
    code, out, _ = run("list")
    assert code == 0
    text = " ".join(out.split())
    assert "imagenet_c ImageNet-C (Hendrycks and Dietterich 2019" in text
    assert "human/contrast People's stimuli" in text


@pytest.mark.parametrize("words", [["preview", "images=0"], ["preview", "out=../elsewhere.png"]])
def test_an_empty_working_folder_stays(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    here = tmp_path / "empty"
    here.mkdir()
    monkeypatch.chdir(here)
    run(*words, "pipeline=contrast")
    assert here.is_dir()


@pytest.mark.parametrize("words", [["--dry-run"], ["data.limit=-1"]])
def test_an_empty_folder_that_was_there_stays_and_a_new_one_goes(run: Run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine", "new"):
        run("sweep", f"out={tmp_path / name}", "pipeline=contrast", *words)
    assert (tmp_path / "mine").is_dir()
    assert not (tmp_path / "new").exists()
