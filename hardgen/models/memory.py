"""Running out of memory: how it shows, and how what is left is freed."""

import gc

import torch


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that the memory of the machine or of its GPU does not suffice."""
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or (
        isinstance(error, RuntimeError) and "not enough memory" in str(error)  # torch's allocator on the CPU
    )


def free() -> None:
    """Gives back what a failed attempt still holds."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
