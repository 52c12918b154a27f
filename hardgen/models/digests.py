"""What the answers of a torch module depend on, as a hash."""

import torch
from torch import Tensor, nn

from hardgen.files import digest


def _plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(part, int) or _plain(part) for part in value)
    return isinstance(value, (bool, float, str))


def state_digest(module: nn.Module) -> str:
    """Hash of a module's parameters and buffers - names, types, shapes and bytes - and of its plain attributes."""
    parts: list[str | bytes] = []
    held = dict(module.named_buffers()) | module.state_dict()  # those too that are not saved
    for name, child in module.named_modules():  # strides, rates, thresholds; whole numbers may be counts of calls
        named = {k: v for k, v in vars(child).items() if k != "training" and not k.startswith("_")}
        parts += [name, *(f"{k}={v!r}" for k, v in sorted(named.items()) if _plain(v))]
    for key, value in sorted(held.items()):
        if isinstance(value, Tensor):
            raw = value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
            parts += [key, str(value.dtype), str(tuple(value.shape)), raw]
    return digest(*parts)
