"""Datasets that torchvision knows, by class name."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardgen.data.dataset import Dataset
from hardgen.data.read_image import one_line
from hardgen.data.wrapped import wrap
from hardgen.errors import HardgenError, near


@dataclass(frozen=True)
class Torchvision:
    """A classification dataset of torchvision.

    Attributes:
        name: Its class in `torchvision.datasets`, for example `CIFAR10`.
        root: The folder that it lies in.
        split: Passed on to datasets that have a `split`; for those with a `train` switch, `train` or `test`.
        download: Let torchvision download it into `root`.
        resize: Short side in pixels after resizing; None: as it is.
        crop: Side of the central square that is kept, in pixels; None: all.
        limit: A class-balanced number of images; None: all.
    """

    name: str = "???"
    root: str = "???"
    split: str = "test"
    download: bool = False
    resize: int | None = None
    crop: int | None = None
    limit: int | None = None

    def build(self) -> Dataset:
        """Opens the dataset.

        Raises:
            HardgenError: for an unknown name or split, or if the files are not there or cannot be downloaded.
        """
        import torchvision.datasets  # a second that other data need not wait for

        known = [n for n in torchvision.datasets.__all__ if inspect.isclass(getattr(torchvision.datasets, n))]
        if self.name not in known:
            raise HardgenError(f"data.name: torchvision has no dataset {self.name!r}{near(self.name, known)}")
        cls: Any = getattr(torchvision.datasets, self.name)
        takes = inspect.signature(cls.__init__).parameters
        arguments: dict[str, Any] = {"root": Path(self.root).expanduser()} if "root" in takes else {}
        if "train" in takes:
            if self.split not in ("train", "test"):
                raise HardgenError(f"data.split: {self.name} has train and test; got {self.split!r}")
            arguments["train"] = self.split == "train"
        elif "split" in takes:
            arguments["split"] = self.split
        if "download" in takes:
            arguments["download"] = self.download
        elif self.download:
            raise HardgenError(f"data.download: torchvision cannot download {self.name}; put it into data.root")
        try:
            dataset = cls(**arguments)
        except (RuntimeError, OSError, ValueError, TypeError, ImportError) as error:
            hint = "" if self.download or "download" not in takes else " (data.download=true fetches it)"
            raise HardgenError(
                f"data: cannot open {self.name} in data.root={self.root!r}{hint}: {one_line(error)}"
            ) from error
        return wrap(dataset, self.name, None, self.resize, self.crop, self.limit)
