"""When a tracker is told: after a run, and after the merge of a multirun's jobs."""

import abc
import importlib
from pathlib import Path
from typing import Any, ClassVar

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from hardgen.errors import HardgenError, Mistake, one_line
from hardgen.progress import console
from hardgen.sweeps.reading import MANIFEST, read_manifest
from hardgen.tracking.record import Record, record_of


class Tracker(Callback, abc.ABC):
    """Hydra calls this before and after a run or a multirun.

    Hydra calls what comes first in `hydra.callbacks` last at the end, so a tracker stands before the merge.

    Attributes:
        extra: The extra that brings the tracker's library; `tracking=EXTRA` switches it on.
        module: The library's module.
    """

    extra: ClassVar[str]
    module: ClassVar[str]

    @abc.abstractmethod
    def track(self, record: Record) -> str:
        """Tells the tracker of a run.

        Returns:
            Where it is to be seen, for the line that is printed.
        """

    def on_run_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Refuses before anything runs if the library is missing."""
        self._check()

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Refuses before anything runs if the library is missing, and looks which merge is there already."""
        self._check()
        self._before = _written(Path(config.hydra.sweep.dir))

    def on_run_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Tracks the run that has ended."""
        if not config.dry_run:
            self._tell(Path(config.hydra.run.dir))

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Tracks the merged run, if there is a new one."""
        folder = Path(config.hydra.sweep.dir)
        if not config.dry_run and _written(folder) != self._before:
            self._tell(folder)

    def _check(self) -> None:
        try:
            importlib.import_module(self.module)
        except ImportError as error:
            missing = f"tracking={self.extra} needs the extra: pip install 'hardgen[{self.extra}]'"
            raise Mistake(HardgenError(missing)) from error

    def _tell(self, folder: Path) -> None:
        """A tracker that fails costs no run: it is said, and the same command again tells it anew."""
        try:
            if not (folder / MANIFEST).is_file() or read_manifest(folder)["status"] != "complete":
                return
            where = self.track(record_of(folder))
        except Exception as error:
            line = f"hardgen: warning: the run is whole, but tracking={self.extra} failed: {one_line(error)}"
            console.print(line, style="yellow", markup=False, soft_wrap=True)
            return
        console.print(f"Tracked in {where}", markup=False, soft_wrap=True)


def _written(folder: Path) -> int:
    """When a run was last written to a folder; 0 where there is none."""
    path = folder / MANIFEST
    return path.stat().st_mtime_ns if path.is_file() else 0
