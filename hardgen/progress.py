"""The progress bar of long work: how far, how fast, how long still."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

console = Console(stderr=True, highlight=False)
"""Where people are spoken to; results that other programs read go to standard output."""


class _Rate(ProgressColumn):
    """Units done per second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} {self.unit}/s", style="progress.data.speed")


@contextmanager
def progress(title: str, total: int, unit: str, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Shows a bar on standard error while the block runs; yields `advance(n)`.

    Args:
        title: What is going on.
        total: Units in all.
        unit: What one unit is, in the plural.
        done: Units that an earlier run already did.
    """
    drawn = random.getstate()  # rich draws from Python's global generator
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(unit), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(title, total=total, completed=done)
        try:
            yield lambda n: bar.advance(task, n)
        finally:
            random.setstate(drawn)
