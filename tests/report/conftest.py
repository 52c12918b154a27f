from pathlib import Path

import pytest

from tests.report.simulated import BLUR, CONTRAST, GRATING, OCCLUSION, Simulated


@pytest.fixture(scope="session")
def simulated_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models, four axes, 300 images."""
    axes = (OCCLUSION, BLUR, CONTRAST, GRATING)
    return Simulated(axes=axes, n=300, pictures=48).write(tmp_path_factory.mktemp("runs") / "simulated")
