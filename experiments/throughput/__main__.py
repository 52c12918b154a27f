"""Times every perturbation beside its peers; `python -m experiments.throughput --help`.

One measurement is the same work for every library: from decoded 8-bit images (H x W x 3) to the float batch
(B x 3 x H x W in [0, 1]) that a model takes. Hardgen's doses, which no peer has, are measured only with `--doses`; a
sweep needs them. Libraries take turns within every repeat, so that whatever else the machine does falls on all alike.
A ratio is hardgen's images per second over the peer's, the median over repeats, with the least and the greatest beside
it.
"""

import argparse
import itertools
from pathlib import Path

from experiments.throughput.measure import Bench
from experiments.throughput.rows import Row, table, write
from hardgen.heap import keep_freed_memory

HERE = Path(__file__).parent


def main() -> None:
    """Runs the benchmark and merges what it finds into results.csv, beside this file or where --out and --name say."""
    parser = argparse.ArgumentParser(prog="python -m experiments.throughput", description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", default="32,224,1024", help="sides of the square images, px")
    parser.add_argument("--batches", default="1,64", help="images handed over at a time")
    parser.add_argument("--threads", default="1,2", help="threads that each library may use")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="names of perturbations, separated by commas")
    parser.add_argument("--peers", default="imagecorruptions,albumentations,kornia,torchvision")
    parser.add_argument("--all", action="store_true", help="also perturbations that have no peer")
    parser.add_argument(
        "--memory", action="store_true", help="also the peak memory of one call of each, at every setting"
    )
    parser.add_argument("--doses", action="store_true", help="have hardgen measure its doses too, as a sweep does")
    parser.add_argument(
        "--out", type=Path, default=HERE, help="folder of the tables; rows of the same thing are replaced"
    )
    parser.add_argument("--name", default="results", help="of the tables: NAME.csv and NAME.md")
    given = parser.parse_args()
    keep_freed_memory()  # as every command of hardgen does; the libraries in this process have it too
    rows: list[Row] = []
    peers = tuple(filter(None, given.peers.split(",")))
    only = set(filter(None, given.only.split(",")))
    bench = Bench(peers, given.repeats, given.out, given.doses)
    numbers = ([int(n) for n in text.split(",")] for text in (given.sizes, given.batches, given.threads))
    for size, batch, threads in itertools.product(*numbers):
        rows += bench.setting(size, batch, threads, only, given.all, given.memory)
        write(rows, given.out, given.name)
    print(table(rows))


if __name__ == "__main__":
    main()
