"""What the benchmark writes: a run replaces what it measured anew and keeps the rest."""

import math
from dataclasses import replace
from pathlib import Path

from experiments.throughput.rows import Row, read, write

FIRST = Row(32, 64, 2, "gamma", "kornia", 200.0, 100.0, 2.0, 1.9, 2.1, math.nan, math.nan)


def test_rows_of_the_same_thing_are_replaced_and_all_others_kept(tmp_path: Path) -> None:
    others = [replace(FIRST, peer="torchvision"), replace(FIRST, threads=1), replace(FIRST, size=224)]
    write([FIRST, *others], tmp_path, "results")
    again, smaller = replace(FIRST, ratio=4.0, ratio_high=4.5), replace(FIRST, size=16)
    write([again, smaller], tmp_path, "results")
    rows = read(tmp_path / "results.csv")
    assert [row.key for row in rows] == [row.key for row in (smaller, others[1], FIRST, others[0], others[2])]
    assert [row.ratio for row in rows] == [2, 2, 4, 2, 2]
    text = (tmp_path / "results.md").read_text()
    assert text.count("### ") == 4
    assert text.count("| `gamma` | 200 | kornia | 100 | 4 | 1.9 | 4.5 |  |  |") == 1


def test_the_recorded_tables_are_made_from_their_rows(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "experiments" / "throughput"
    for name in ("results", "all"):
        write(read(folder / f"{name}.csv"), tmp_path, name)
        assert (tmp_path / f"{name}.csv").read_bytes() == (folder / f"{name}.csv").read_bytes()
        assert (tmp_path / f"{name}.md").read_text() == (folder / f"{name}.md").read_text()
