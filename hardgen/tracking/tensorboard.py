"""TensorBoard: an event file in the run's folder, or in a folder that collects them."""

from pathlib import Path
from typing import ClassVar

from hardgen.tracking.record import Record
from hardgen.tracking.tracker import Tracker


class TrackTensorboard(Tracker):
    """Writes scalars, the accuracy along each axis (step: thousandths of hardness), the parameters and the overview."""

    extra: ClassVar[str] = "tensorboard"
    module: ClassVar[str] = "tensorboard"

    def __init__(self, folder: str | None = None) -> None:
        """Says where the event files go.

        Args:
            folder: The folder that collects them, one in it for each run; the run's own unless given.
        """
        self._folder = folder

    def track(self, record: Record) -> str:
        """Writes the event file anew."""
        from torch.utils.tensorboard.writer import SummaryWriter

        named = record.name.replace("/", "-")
        folder = record.folder / "tensorboard" if self._folder is None else Path(self._folder) / named
        for old in folder.glob("events.out.tfevents.*"):
            old.unlink()
        writer = SummaryWriter(str(folder))
        try:
            rows = [f"| {key} | {value} |" for key, value in record.parameters.items()]
            files = [f"- {path.resolve()}" for path in record.files]
            text = "\n".join(["| parameter | value |", "|---|---|", *rows, "", *files])
            writer.add_text("run", text)
            for name, value in record.metrics.items():
                writer.add_scalar(name, value, 0)
            for point in record.points:
                writer.add_scalar(point.series, point.accuracy, point.step)
            overview = record.folder / "figures" / "overview.png"
            if overview.is_file():
                writer.add_image("overview", _pixels(overview), dataformats="HWC")
        finally:
            writer.close()
        return f"{folder}: tensorboard --logdir {folder}"


def _pixels(path: Path) -> "object":
    import numpy as np
    from PIL import Image

    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))
