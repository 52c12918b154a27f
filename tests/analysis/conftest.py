import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))  # simulated runs are shared with the report's tests
