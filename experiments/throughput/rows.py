"""What the benchmark found: rows, the file that keeps them, and the table that shows them; standard library only."""

import csv
import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One comparison."""

    size: int
    batch: int
    threads: int
    perturbation: str
    peer: str
    images_per_second: float
    peer_images_per_second: float
    ratio: float
    ratio_low: float
    ratio_high: float
    peak_mib: float
    peer_peak_mib: float

    @property
    def key(self) -> tuple[int, int, int, str, str]:
        """What was compared, and where."""
        return self.size, self.batch, self.threads, self.perturbation, self.peer


def merged(kept: Iterable[Row], new: Iterable[Row]) -> list[Row]:
    """Rows by size, batch and threads; a new one takes the place of one that compares the same thing there."""
    rows = {row.key: row for row in (*kept, *new)}
    return sorted(rows.values(), key=lambda row: (row.size, row.batch, row.threads))


def read(path: Path) -> list[Row]:
    """The rows of a CSV file; none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as stream:
        return [
            Row(int(line[0]), int(line[1]), int(line[2]), line[3], line[4], *map(float, line[5:]))
            for line in [*csv.reader(stream)][1:]
        ]


def write(rows: Sequence[Row], folder: Path, name: str) -> None:
    """Merges rows into NAME.csv of a folder, and makes NAME.md from all of it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv"
    whole = merged(read(path), rows)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in dataclasses.fields(Row)])
        writer.writeheader()
        writer.writerows(
            {k: f"{v:.4g}" if isinstance(v, float) else v for k, v in dataclasses.asdict(r).items()} for r in whole
        )
    path.with_suffix(".md").write_text(table(read(path)))


def table(rows: Sequence[Row]) -> str:
    """The ratios as Markdown, a block for each setting and peer, with their geometric mean."""
    lines: list[str] = []
    settings = dict.fromkeys((r.size, r.batch, r.threads) for r in rows)
    for size, batch, threads in settings:
        own = [r for r in rows if (r.size, r.batch, r.threads) == (size, batch, threads)]
        lines += [f"### {size} px, batch {batch}, {threads} thread{'s' * (threads > 1)}", ""]
        lines += ["| perturbation | images/s | peer | its images/s | ratio | least | greatest | MiB | its MiB |"]
        lines += ["|---|---:|---|---:|---:|---:|---:|---:|---:|"]
        for r in own:
            numbers = (r.peer_images_per_second, r.ratio, r.ratio_low, r.ratio_high, r.peak_mib, r.peer_peak_mib)
            cells = (f"`{r.perturbation}`", _number(r.images_per_second), r.peer, *map(_number, numbers))
            lines.append(f"| {' | '.join(cells)} |")
        for peer in dict.fromkeys(r.peer for r in own if r.peer):
            ratios = [r.ratio for r in own if r.peer == peer]
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            lines += ["", f"{peer}: geometric mean of {len(ratios)} ratios {mean:.1f}, least {min(ratios):.2f}."]
        lines += [""]
    return "\n".join(lines)


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}"
