"""How near ImageNet-C's corruptions are to what none could do without: `python -m experiments.throughput.limits`.

Three parts of the work are other people's code at its full speed: the random numbers (NumPy's Philox and its set-up for
each image), the codec, and turning the bytes of a batch into floats. Each is timed by itself, in turns with the whole.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import torch
from rich.progress import track

import hardgen.perturbations  # noqa: F401  (fills the registry)
from experiments.throughput.libraries import Images, photographs
from hardgen.batch import Batch
from hardgen.functional.bytewise import change
from hardgen.functional.codecs import jpeg_bytes
from hardgen.functional.coded import Coded
from hardgen.heap import keep_freed_memory
from hardgen.perturbation import Perturbation
from hardgen.pipeline import build, rounded
from hardgen.registry import perturbations
from hardgen.rng import SampleRng

HERE = Path(__file__).parent
Work = Callable[[], object]


def parts(perturbation: Perturbation, images: Images) -> dict[str, Work]:
    """The whole work, and each of its parts by itself."""
    ids, seeds = tuple(f"image-{i}.png" for i in range(len(images))), itertools.count()
    coded = Coded.of(list(images))

    def whole(rng: SampleRng) -> object:
        return rounded(perturbation(Batch(coded, ids, on_grid=True), rng).batch).images

    seen = SampleRng(0, "slot", ids)
    whole(seen)
    draws = tuple(seen._kept)

    def draw() -> None:
        rng = SampleRng(next(seeds), "slot", ids)
        for kind, *what in draws:
            getattr(rng, str(kind))(*what)

    works: dict[str, Work] = {"whole": lambda: whole(SampleRng(next(seeds), "slot", ids)), "floats": coded.decoded}
    if draws:
        works["draws"] = draw
    if perturbation.published == "jpeg_compression":
        works["codec"] = lambda: change(coded.codes, lambda image, _: jpeg_bytes(image, 15), alone=True)
    return works


def microseconds(works: dict[str, Work], images: int, repeats: int) -> dict[str, float]:
    """What each takes for an image: the median over turns."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats + 1):
        for name, work in works.items():
            start = time.perf_counter()
            for _ in range(4):
                work()
            found[name].append((time.perf_counter() - start) / 4 / images * 1e6)
    return {name: statistics.median(times[1:]) for name, times in found.items()}


def replaced(text: str, blocks: Sequence[str]) -> str:
    """A text of blocks, each below its heading: a new one takes the place of the one with its heading, or the end."""
    old = [f"### {block}" for block in text.split("### ")[1:]]
    found = {block.partition("\n")[0]: block.strip() for block in (*old, *blocks)}
    return "\n\n".join(found.values()) + "\n"


def main() -> None:
    """Measures and writes limits.md beside this file, or where --out says; other sizes that it holds stay."""
    parser = argparse.ArgumentParser(prog="python -m experiments.throughput.limits", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="32,224", help="sides of the square images, px")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--out", type=Path, default=HERE)
    given = parser.parse_args()
    keep_freed_memory()
    torch.set_num_threads(given.threads)
    cv2.setNumThreads(given.threads)
    blocks: list[str] = []
    names = [name for name in perturbations() if name.startswith("imagenet_c_")]
    for size in map(int, given.sizes.split(",")):
        images = photographs(size, given.batch)
        lines = [f"### {size} px, batch {given.batch}, {given.threads} threads: microseconds an image", ""]
        lines += ["| corruption | whole | numbers drawn | codec | bytes to floats | these, of the whole |"]
        lines += ["|---|---:|---:|---:|---:|---:|"]
        for name in track(names, f"{size} px"):
            times = microseconds(parts(build(name, {"severity": 3}), images), given.batch, given.repeats)
            needed = sum(times.values()) - times["whole"]
            cells = (f"{times[part]:.1f}" if part in times else "" for part in ("whole", "draws", "codec", "floats"))
            lines.append(f"| `{name}` | {' | '.join(cells)} | {needed / times['whole']:.0%} |")
        blocks.append("\n".join([*lines, ""]))
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "limits.md"
    path.write_text(replaced(path.read_text() if path.exists() else "", blocks))
    print("\n".join(blocks))


if __name__ == "__main__":
    main()
