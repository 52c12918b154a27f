"""What every test may use."""

import os
from pathlib import Path

import pytest
import torch

if "PYTEST_XDIST_WORKER" in os.environ:
    torch.set_num_threads(1)  # the workers share the cores

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real photographs, models and answers; tests that need it are skipped where it is missing."""
    folder = Path(os.environ.get("HARDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder}: set HARDGEN_TEST_DATA")
    return folder


@pytest.fixture(params=["cpu", "cuda"])
def device(request: pytest.FixtureRequest) -> str:
    """Every device that a test should hold on."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU on this machine")
    return str(request.param)
