"""The designs that ask less, beside the full grid: their errors, and how often their intervals hold the truth."""

import argparse
from pathlib import Path

import polars as pl

from experiments.designs import critical, levels
from experiments.designs.coverage import WORLDS, coverage
from hardgen.progress import console, progress


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(prog="python -m experiments.designs", description=__doc__)
    parser.add_argument("runs", nargs="*", help="folders of full runs, of the same 33 levels on every axis")
    parser.add_argument("--seeds", type=int, default=100, help="designs tried on every curve")
    parser.add_argument("--simulations", type=int, default=2000, help="simulated sweeps of a world; 0 for none")
    parser.add_argument("--out", type=Path, default=Path("outputs/designs"))
    args = parser.parse_args()
    tables = {}
    for run in map(Path, args.runs):
        tables[f"levels_{run.name}"] = levels.against_full(str(run), args.seeds)
        tables[f"critical_{run.name}"] = critical.against_full(str(run))
    if args.simulations:
        with progress("coverage", 2 * len(WORLDS), "worlds") as advance:
            rows = []
            for name in WORLDS:
                for images in (20, 500):
                    rows.append(coverage(name, images, args.simulations))
                    advance(1)
        tables["coverage"] = pl.DataFrame(rows)
    args.out.mkdir(parents=True, exist_ok=True)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, tbl_hide_dataframe_shape=True, float_precision=4):
        for name, table in tables.items():
            table.write_csv(args.out / f"{name}.csv", float_precision=4)
            console.print(f"{name}\n{table}", markup=False, soft_wrap=True)
    console.print(f"The tables lie in {args.out}", markup=False)


if __name__ == "__main__":
    main()
