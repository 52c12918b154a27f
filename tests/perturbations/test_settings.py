"""Settings: at both ends of its range each leaves a perturbation that does what it is named for."""

import dataclasses

import pytest

from hardgen import perturbations as _catalogue  # noqa: F401  (registers the catalogue)
from hardgen.perturbation import Perturbation
from hardgen.registry import perturbations
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

ENDS = [
    (cls, field.name, value)
    for cls in perturbations().values()
    for field in dataclasses.fields(cls)
    if "setting" in field.metadata and (cls.name, field.name) != ("clutter", "size")  # too large to lie beside a target
    for value in (field.metadata["setting"].low, field.metadata["setting"].high)
]


@pytest.mark.parametrize(("cls", "name", "value"), ENDS)
def test_the_hardest_changes_images_at_either_end(cls: type[Perturbation], name: str, value: float) -> None:
    batch = sample_batch(160, 160, pick=(0,))
    hardest = dataclasses.replace(cls().at(1), **{name: value})
    assert float(hardest(batch, SampleRng(0, "s", batch.ids)).doses["rmse"]) > 2e-3
