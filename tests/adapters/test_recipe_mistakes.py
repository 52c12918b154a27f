"""What can be wrong in an adapter's file is one line that names the file and the key."""

import inspect
import re
from pathlib import Path

import pytest

from hardgen import registry
from hardgen.api import KEYWORDS, perturb
from hardgen.errors import HardgenError
from hardgen.listing import markdown
from hardgen.testing import CHECKS
from tests.adapters.adapter_texts import EMBOSS, Load

ENTRY = ", ".join(EMBOSS.strip().splitlines())
SHORTER = "parameters: {alpha: [value, value], strength: [0.5, 0.5]}"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("transform: Emboss\n", "", "relief: transform is missing"),
        (", unit: of the relief", "", "relief: knob.unit is missing"),
        ("limits: Light", "limit: Light", "relief: limit: there is no such key; did you mean 'limits'?"),
        ("hardest: 1.0", "hardst: 1.0", "knob.hardst: there is no such key; did you mean 'hardest'?"),
        ("hardest: 1.0", "hardest: much", "knob.hardest must be a number; got 'much'"),
        (
            "hardest: 1.0",
            "hardest: '1e-1'",
            "knob.hardest must be a number; got '1e-1', which is text: write 0.1 without",
        ),
        ("hardest: 1.0", "hardest: inf", "knob.hardest must be a number; got 'inf': infinity is .inf"),
        ("hardest: 1.0", f"hardest: {10**400}", r"line 4: a whole number must be less than 9.2e\+18 .*; got '10*…$"),
        (
            "hardest: 1.0",
            f"hardest: 1{'0' * 5000}",
            r"line 4: a whole number must be less than 9.2e\+18 .*; got '10*…$",
        ),
        ("hardest: 1.0", "hardest: 010", "line 4: '010' is 8 in YAML: write that"),
        ("hardest: 1.0", "hardest: 1:30", "line 4: '1:30' is 90 in YAML: write that"),
        ("hardest: 1.0", "hardest: 2020-13-45", "not a YAML file: month must be in"),
        (EMBOSS, "[" * 5000, "not a YAML file: it is nested too deep"),
        (
            "alpha: [value, value]",
            f"alpha: [value, '{10**400} of the short side']",
            "parameters.alpha: a number must be",
        ),
        ("name: relief", f"name: {'x' * 81}", "name is made of a-z, 0-9 and _, at most 80; got 'x*…$"),
        ("hardest: 1.0", "hardest: 0.0", "knob.hardest must differ from knob.neutral"),
        ("name: alpha", "name: al pha", "knob.name is made of letters"),
        ("name: alpha", "name: neutral", "knob.name: 'neutral' means something else"),
        ("doc: Share of the relief.", "doc: A, scale: loud", "knob.scale: unknown 'LOUD'"),
        ("doc: Share of the relief.", "doc: A., scale: log", "log needs neutral and hardest of one sign"),
        ("random: false", "random: 3", "relief: random must be true or false; got 3"),
        ("random: false", "least_side: 0", r"relief: least_side must be in \[1, 1024\]; got 0"),
        ("random: false", "least_side: 100000", r"least_side must be in \[1, 1024\]; got 100000"),
        ("random: false", "version: 0", r"relief: version must be in \[1, inf\]; got 0"),
        (
            "hardest: 1.0",
            "hardest: .inf",
            "hardest must be finite, and neutral finite; got hardest (inf|nan)",
        ),
        (
            "hardest: 1.0",
            "hardest: .nan",
            "hardest must be finite, and neutral finite; got hardest (inf|nan)",
        ),
        ("neutral: 0.0", "neutral: -.inf", "got hardest 1, neutral -inf"),
        ("doc: Share of", "scale: reciprocal, doc: Share of", "must be finite, and neutral .inf; got .* neutral 0"),
        ("random: false", "random: false\nrandom: true", "random: stands twice in the mapping of line 1$"),
        ("hardest: 1.0", "hardest: 1.0, hardest: 2.0", "hardest: stands twice in the mapping of line 4$"),
        (EMBOSS, f"- {{{ENTRY}}}\n- {{{ENTRY}}}", "relief: name: two entries have it"),
        ("random: false", "exemptions: {monotone: 3}", "exemptions: each check needs its reason"),
        (
            "random: false",
            "exemptions: {monotne: why}",
            "exemptions: there is no check 'monotne'; did you mean 'mono",
        ),
        (
            "random: false",
            "family: a b | c",
            r"a perturbation's family is made of a-z, 0-9 and _, at most 80; got 'a b \| c'",
        ),
        ("name: relief", "name: all", "pipeline=all means something else"),
        ("name: relief", "name: all_blur", "pipeline=all_blur means something else"),
        ("name: relief", "name: none", "pipeline=none means something else"),
        ("name: relief", "name: imagenet_c", "perturbation 'imagenet_c' needs another name"),
        ("name: alpha", "name: hardness", "relief.hardness: 'hardness' means something else"),
        ("name: alpha", "name: perturbation", "relief.perturbation: 'perturbation' means something else"),
        ("name: relief", "name: réliéf", "a perturbation's name is made of a-z"),
        ("doc: Makes a relief.", "doc: relief", "doc must be one sentence that ends with a full stop"),
        (
            "library: albumentations",
            "library: albumentation",
            "unknown 'albumentation'; did you mean 'albumentations'?",
        ),
        ("transform: Emboss", "transform: Embos", "albumentations has no 'Embos'; did you mean 'Emboss'?"),
        ("transform: Emboss", "transform: core.Compose", "albumentations has no 'core.Compose'"),
        ("transform: Emboss", "transform: Lambda", "Lambda does something else than change values in place"),
        ("transform: Emboss", "transform: Compose", "albumentations has no 'Compose'"),
        ("transform: Emboss", "transform: Morphological", "(parameters.alpha|does something else)"),
        ("strength: [", "strenght: [", "parameters.strenght: .*did you mean 'strength'?"),
        ("strength: [0.5, 0.5]", "p: 0.5", "parameters.p: Emboss has no such parameter"),
        ("strength: [0.5, 0.5]", "strength: [-3, 2]", r"Emboss\(alpha=.*strength=.*: ValueError"),
        ("alpha: [value, value]", "alpha: [value of the shortside, value]", "parameters.alpha: .*is not"),
        ("alpha: [value, value]", "alpha: [0, 1]", "the knob must be put in one of them"),
        ("random: false", "blend: true", "got both"),
        ("random: false", "moves: true", "moves: Emboss changes values in place: it needs moves: false"),
        ("random: false", "moves: true\neight_bit: true", "moves goes with neither blend nor eight_bit"),
        (SHORTER, "blend: true\nparameters: 3", "parameters must be a mapping; got 3"),
        ("neutral: 0.0, hardest: 1.0", "neutral: 1.0, hardest: 5.0", r"Emboss\(alpha=\(.*: ValueError"),
        ("name: relief", "name: Re lief", "a perturbation's name is made of"),
        ("name: relief", "name: gaussian_blur", "already registered by .*blur"),
        (EMBOSS, "- 3", "entry 1 must be a mapping with the keys name, library"),
        (EMBOSS, "[]", "it holds no perturbation"),
        (EMBOSS, "", "entry 1 must be a mapping"),
        (EMBOSS, "a: [", "not a YAML file"),
        (EMBOSS, "!!python/object/apply:os.getcwd []", "not a YAML file: could not determine a constructor"),
    ],
)
@pytest.mark.usefixtures("own_registry")
def test_a_mistake_is_one_line_that_names_file_and_key(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in EMBOSS
    file = tmp_path / "mine.yaml"
    file.write_text(EMBOSS.replace(old, new, 1))
    before = set(registry.perturbations())
    for _ in range(2):
        with pytest.raises(HardgenError, match=words) as caught:
            registry.load_file(file)
        assert str(caught.value).startswith(f"plugins: {file}: ")
        assert "\n" not in str(caught.value)
    assert set(registry.perturbations()) == before


@pytest.mark.parametrize("text", ["5e-1", "5E-1", "+.5e0", "5.e-1"])
def test_a_number_with_an_exponent_and_no_point_is_a_number(text: str, load: Load) -> None:
    cls = load(EMBOSS.replace("hardest: 1.0", f"hardest: {text}").replace("[0.5, 0.5]", "[5e-1, 5e-1]"))
    assert cls.knobs()["alpha"].hardest == 0.5
    assert cls.recipe.parameters["strength"] == (0.5, 0.5)


BLEND = """\
name: mine
library: {library}
transform: {transform}
knob: {{name: share, neutral: 0.0, hardest: 1.0, unit: of it, doc: Share.}}
blend: true
{more}
doc: It does.
limits: None.
"""


@pytest.mark.parametrize(
    ("library", "transform", "more", "words"),
    [
        ("torchvision", "JPEG", "parameters: {quality: 5}", "eight_bit: true gives it 8-bit images"),
        ("torchvision", "RandomInvrt", "", "did you mean 'RandomInvert'?"),
        ("torchvision", "CutMix", "", "does something else"),
        ("torchvision", "Lambda", "", "does something else"),
        ("torchvision", "RandomHorizontalFlip", "", "RandomHorizontalFlip moves pixels: it needs moves: true"),
        ("kornia", "RandomRotation", "parameters: {degrees: 20}", "RandomRotation moves pixels"),
        ("kornia", "RandomCutMixV2", "", "kornia.augmentation has no 'RandomCutMixV2'"),
        ("kornia", "RandomGaussianBlur", "", "RandomGaussianBlur.*TypeError: .*kernel_size"),
        ("albumentations", "ToFloat", "eight_bit: true", "ToFloat makes of an image of 64x64x3 uint8 one of .*float32"),
    ],
)
@pytest.mark.usefixtures("own_registry")
def test_what_a_library_refuses_is_said_before_anything_runs(
    library: str, transform: str, more: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yml"
    file.write_text(BLEND.format(library=library, transform=transform, more=more))
    with pytest.raises(HardgenError, match=words) as caught:
        registry.load_file(file)
    assert "\n" not in str(caught.value)


def test_names_with_another_meaning_and_checks_are_all_known() -> None:
    assert {*KEYWORDS, *list(inspect.signature(perturb).parameters)[:2], "version"} - {"fields"} <= registry.RESERVED
    assert set(CHECKS) == registry.CHECKS


def test_a_stroke_in_a_sentence_stays_in_its_cell(load: Load) -> None:
    load(EMBOSS.replace("Makes a relief", "Makes | a relief").replace("of the relief,", "of | it,"))
    row = next(line for line in markdown().splitlines() if "`relief`" in line)
    assert len(re.split(r"(?<!\\)\|", row)) == 6
