"""MLflow: a run with parameters, metrics, stepped metrics and files, in any tracking store."""

import time
from typing import ClassVar

from hardgen.tracking.record import Record
from hardgen.tracking.tracker import Tracker

BATCH = 500
"""Metrics sent at a time; a tracking server takes at most 1000."""


class TrackMlflow(Tracker):
    """Logs a run of an experiment; accuracy along an axis is a metric whose step is a thousandth of hardness."""

    extra: ClassVar[str] = "mlflow"
    module: ClassVar[str] = "mlflow"

    def __init__(self, uri: str | None = None, experiment: str = "hardgen") -> None:
        """Says where to log.

        Args:
            uri: The tracking store, such as `http://host:5000` or `sqlite:///mlflow.db`; MLflow's own choice
                (`MLFLOW_TRACKING_URI`) unless given.
            experiment: The experiment's name; it is made if there is none.
        """
        self._uri, self._experiment = uri, experiment

    def track(self, record: Record) -> str:
        """Logs a new MLflow run."""
        from mlflow.entities import Metric, Param, RunTag
        from mlflow.tracking import MlflowClient

        client, now = MlflowClient(tracking_uri=self._uri), int(time.time() * 1000)
        known = client.get_experiment_by_name(self._experiment)
        experiment = client.create_experiment(self._experiment) if known is None else known.experiment_id
        run = client.create_run(experiment, run_name=record.name).info.run_id
        status = "FAILED"
        try:
            client.log_batch(
                run,
                params=[Param(key, value[:500]) for key, value in record.parameters.items()],
                tags=[RunTag("hardgen.folder", str(record.folder))],
            )
            metrics = [Metric(name, value, now, 0) for name, value in record.metrics.items()]
            metrics += [Metric(point.series, point.accuracy, now, point.step) for point in record.points]
            for start in range(0, len(metrics), BATCH):
                client.log_batch(run, metrics=metrics[start : start + BATCH])
            for path in record.files:
                client.log_artifact(run, str(path))
            status = "FINISHED"
        finally:
            client.set_terminated(run, status)
        return f"MLflow: run {record.name} of experiment {self._experiment}, {client.tracking_uri}"
