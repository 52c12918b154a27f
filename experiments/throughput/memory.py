"""Peak memory of a call, read from Linux; standard library only, for every environment of the benchmark."""

import ctypes
from collections.abc import Callable


def peak(call: Callable[[], object]) -> int:
    """Bytes by which the process's memory peaked above where it stood; -1 where the system does not say."""
    try:
        ctypes.CDLL(None).malloc_trim(0)  # what the C library keeps of memory that was freed would hide the peak
        with open("/proc/self/clear_refs", "w") as stream:
            stream.write("5")  # the peak begins anew
        before = _status("VmRSS")
        call()
        return max(_status("VmHWM") - before, 0)
    except (OSError, AttributeError):
        return -1


def _status(key: str) -> int:
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) * 1024 for line in stream if line.startswith(key))
