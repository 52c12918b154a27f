"""Stops and axes: the right number, no duplicates, all reachable."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from torch import Tensor

from hardgen.errors import HardgenError
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.pipeline import Pipeline
from hardgen.rng import SampleRng
from hardgen.sweeps.axes import Point, read_axes, stops
from hardgen.sweeps.plan import Mode, plan


@dataclass(frozen=True)
class Veil(PhotometricPerturbation):
    """A veil."""

    depth: float = knob(0.0, 1.0, "of full scale", "Depth.")
    folds: int = knob(0, 4, "folds", "How many.", default=2)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images * (1 - self.depth)


Veil.name = "veil"
TWO = Pipeline({"a": Veil(), "b": Veil()})


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"start": 0.1, "stop": 0.8, "step": 0.1}, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]),
        ({"start": 0.8, "stop": 0.1, "step": -0.1}, [0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]),
        ({"start": 0, "stop": 4, "step": 1}, [0, 1, 2, 3, 4]),
        ({"start": 0, "stop": 1, "num": 5}, [0, 0.25, 0.5, 0.75, 1]),
        ({"start": 0.5, "stop": 1, "num": 1}, [0.5]),
        (0.3, [0.3]),
        ([0.5, 0.5, 0.1], [0.5, 0.5, 0.1]),
    ],
)
def test_stops(spec: Any, expected: list[float]) -> None:
    assert stops(spec, "hardness") == expected


@pytest.mark.parametrize(
    "spec",
    [
        [],
        "0.1",
        math.inf,
        [math.nan],
        {"start": 0, "stop": math.inf, "step": 1},
        {"start": 0, "stop": 1, "num": True},
        {"start": 0},
        {"start": 0, "stop": 1, "step": 0},
        {"start": 0, "stop": 1, "step": -1},
        [True],
        [None],
    ],
)
def test_what_are_no_stops_is_refused_by_key(spec: Any) -> None:
    with pytest.raises(HardgenError, match=r"^hardness"):
        stops(spec, "hardness")


def test_repeated_and_descending_stops_are_one_rising_axis() -> None:
    (axis,) = read_axes(TWO, ["a.depth"], [1, 0.5, 0.5, 0, 0.1])
    assert [p.hardness for p in axis.points] == [0.1, 0.5, 1]
    assert [p.value for p in axis.points] == [p.value for p in axis.points]


def test_a_stop_keeps_the_hardness_that_was_asked_for() -> None:
    tenths = [i / 10 for i in range(1, 11)]
    (axis,) = read_axes(TWO, ["a.depth"])
    assert [p.hardness for p in axis.points] == tenths
    (whole,) = read_axes(TWO, ["a.folds"])
    assert [(p.hardness, p.value) for p in whole.points] == [(0.2, 1), (0.5, 2), (0.7, 3), (1.0, 4)]


def test_steps_of_a_whole_knob_are_visited_once() -> None:
    (axis,) = read_axes(TWO, ["a.folds"], {"start": 0, "stop": 1, "step": 0.1})
    assert [p.value for p in axis.points] == [1, 2, 3, 4]


def test_all_forms_of_naming_an_axis_agree() -> None:
    forms: list[Any] = [
        {"a.depth": {"values": [0.2, 0.4]}},
        {"a": {"depth": {"values": [0.2, 0.4]}}},
        {"a": {"values": [0.2, 0.4]}},
        {"a.depth": {"hardness": {"start": 0.2, "stop": 0.4, "step": 0.2}}},
    ]
    assert len({tuple(read_axes(TWO, form)) for form in forms}) == 1


def test_the_default_is_the_main_knob_of_every_slot() -> None:
    assert [a.name for a in read_axes(TWO, None)] == ["a.depth", "b.depth"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (["c.depth"], "no slot 'c'"),
        (["a.dept"], "did you mean 'depth'"),
        ({"a.depth": {"values": [2]}}, r"veil\.depth must be in \[0, 1\]"),
        ({"a.depth": {"hardness": [2]}}, r"axes\.a\.depth\.hardness must be in \[0, 1\]"),
        ({"a.depth": {"value": [1]}}, "did you mean 'values'"),
        ({"a.depth": {"values": [0]}}, "only the neutral value"),
        (["a.depth", "a"], "twice"),
        ([], "at least one"),
        (3, "axes must be a name"),
        ([["a"]], "axes must be a name"),
    ],
)
def test_a_wrong_axis_is_one_line_that_names_it(spec: Any, message: str) -> None:
    with pytest.raises(HardgenError, match=message) as error:
        read_axes(TWO, spec)
    assert "\n" not in str(error.value)


def test_one_at_a_time_leaves_the_other_axes_neutral_and_has_one_baseline() -> None:
    laid = plan(TWO, read_axes(TWO, None, [0, 0.5, 1]))
    assert [len(c.points) for c in laid.conditions] == [0, 1, 1, 1, 1]
    assert laid.conditions[0].pipeline.neutral
    assert [len(c.pipeline.spec()) for c in laid.conditions[1:]] == [1, 1, 1, 1]
    assert len({c.id for c in laid.conditions}) == 5


def test_two_slots_of_one_perturbation_are_two_axes() -> None:
    laid = plan(TWO, read_axes(TWO, ["a.depth", "b.depth"], [1]))
    assert len(laid.cells) == 3


def test_a_grid_has_every_combination_once() -> None:
    laid = plan(TWO, read_axes(TWO, None, [0.5, 1]), Mode.grid)
    assert len(laid.conditions) == 9
    assert len(laid.cells) == 9
    assert laid.table().height == 1 + 8 * 2


def test_a_grid_over_two_knobs_of_one_slot_runs_equal_pixels_once() -> None:
    laid = plan(TWO, read_axes(TWO, ["a.depth", "a.folds"], [0.5, 1]), Mode.grid)
    assert len(laid.conditions) == 9
    assert len(laid.cells) == 5


def test_together_moves_all_axes_at_once() -> None:
    laid = plan(TWO, read_axes(TWO, None, [0.5, 1]), Mode.together)
    assert [[p.value for p in c.points] for c in laid.conditions] == [[], [0.5, 0.5], [1, 1]]
    uneven = read_axes(TWO, {"a.depth": {"values": [1]}, "b.depth": {"values": [0.5, 1]}})
    with pytest.raises(HardgenError, match="as many stops"):
        plan(TWO, uneven, Mode.together)


def test_a_fixed_knob_stays_through_the_whole_sweep() -> None:
    pipeline = Pipeline({"a": Veil(), "b": Veil(0.3)})
    laid = plan(pipeline, read_axes(pipeline, ["a.depth"], [1]))
    assert all(c.pipeline.slots["b"] == Veil(0.3) for c in laid.conditions)


def test_an_axis_that_would_change_nothing_is_refused() -> None:
    with pytest.raises(HardgenError, match="would change nothing"):
        plan(TWO, read_axes(TWO, ["a.folds"]))


def test_ids_are_made_of_pixels_only() -> None:
    one = plan(TWO, read_axes(TWO, ["a.depth"], [1]))
    more = plan(TWO, read_axes(TWO, None, [0.5, 1]))
    assert {c.id for c in one.conditions} <= {c.id for c in more.conditions}


def test_spacing_renames_the_knobs_own_hardness() -> None:
    own = {"a.depth": {"spacing": [0, 0.1, 0.4], "hardness": [0, 0.25, 0.5, 1]}}
    axis = read_axes(TWO, own)[0]
    assert [p.hardness for p in axis.points] == [0.25, 0.5, 1]
    assert [p.value for p in axis.points] == pytest.approx([axis.knob.at(h) for h in (0.05, 0.1, 0.4)])
    nested = read_axes(TWO, {"a": {"depth": {"spacing": [0, 0.1, 0.4]}}}, [0.5, 1])[0]
    assert [p.value for p in nested.points] == [p.value for p in axis.points[1:]]


@pytest.mark.parametrize("spacing", [[0], [0.1, 0.5], [0, 0.5, 0.5], [0, 1.5], "x"])
def test_a_spacing_that_is_none_is_refused(spacing) -> None:
    with pytest.raises(HardgenError, match=r"axes.a.depth.spacing"):
        read_axes(TWO, {"a.depth": {"spacing": spacing}})


def test_spacing_goes_with_hardness_only() -> None:
    with pytest.raises(HardgenError, match="takes either"):
        read_axes(TWO, {"a.depth": {"spacing": [0, 1], "values": [0.01]}})


def test_five_whole_values_are_met_at_even_hardnesses() -> None:
    @dataclass(frozen=True)
    class Five(PhotometricPerturbation):
        """Five."""

        severity: int = knob(0, 5, "of 5", "How much.")

        def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
            return images

    Five.name = "five"
    axis = read_axes(Pipeline({"a": Five()}), None)[0]
    assert [(p.hardness, p.value) for p in axis.points] == [(0.2, 1), (0.4, 2), (0.6, 3), (0.8, 4), (1.0, 5)]


@pytest.mark.parametrize(
    ("value", "text"),
    [(4096.0, "4096"), (16777216.0, "16777216"), (630.346, "630"), (0.000123456, "0.000123"), (math.inf, "inf")],
)
def test_large_values_are_shown_whole(value: float, text: str) -> None:
    assert Point("x", 0.0, value, "").shown(3) == text
