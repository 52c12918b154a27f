"""Weights & Biases: a run with a summary, curves over hardness, the page and the files."""

from typing import Any, ClassVar

from hardgen.tracking.record import Record
from hardgen.tracking.tracker import Tracker


class TrackWandb(Tracker):
    """Logs a run of a project; accuracy along an axis has hardness as its own step."""

    extra: ClassVar[str] = "wandb"
    module: ClassVar[str] = "wandb"

    def __init__(self, project: str = "hardgen", entity: str | None = None, mode: str | None = None) -> None:
        """Says where to log.

        Args:
            project: The project's name.
            entity: The user or team; the account's own unless given.
            mode: `online`, `offline` (kept in the run's folder, `wandb sync` sends it) or `disabled`; W&B's own choice
                (`WANDB_MODE`) unless given.
        """
        self._project, self._entity, self._mode = project, entity, mode

    def track(self, record: Record) -> str:
        """Logs a new W&B run."""
        import wandb

        mode: Any = self._mode
        run = wandb.init(
            project=self._project,
            entity=self._entity,
            mode=mode,
            name=record.name,
            dir=str(record.folder),
            config=dict(record.parameters),
            settings=wandb.Settings(console="off", silent=True),
        )
        code = 1
        try:
            run.define_metric("hardness", hidden=True)
            for series in {point.series for point in record.points}:
                run.define_metric(series, step_metric="hardness")
            for hardness in sorted({point.hardness for point in record.points}):
                here = {p.series: p.accuracy for p in record.points if p.hardness == hardness}
                run.log({"hardness": hardness, **here})
            run.summary.update(record.metrics)
            files = wandb.Artifact(f"{run.id}-tables", type="run")
            for path in record.files:
                files.add_file(str(path))
                if path.suffix == ".html":
                    run.log({"report": wandb.Html(str(path), inject=False)})
            run.log_artifact(files)
            code = 0
        finally:
            run.finish(exit_code=code)
        return f"W&B: {run.url or run.dir}"
