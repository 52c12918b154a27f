"""The heap keeps what is freed, where the C library can be told so."""

import subprocess
import sys

CODE = """
import platform, numpy as np
from hardgen.heap import keep_freed_memory
done = keep_freed_memory()
assert done == (platform.libc_ver()[0] == "glibc"), done
def touched():
    faults = lambda: __import__("resource").getrusage(0).ru_minflt
    np.ones(40_000_000, np.uint8)
    before = faults()
    np.ones(40_000_000, np.uint8)
    return faults() - before
print(touched())
"""


def test_a_second_batch_meets_memory_that_is_there() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    if sys.platform.startswith("linux"):
        assert int(done.stdout) < 1000, "40 MB in pages of 4 KiB would be 9766 faults"
