"""Where images come from: each source is a dataclass of settings with `build()`."""

from typing import Any

from hardgen.data.digits import Digits
from hardgen.data.image_folder import ImageFolder
from hardgen.data.manifest import Manifest
from hardgen.data.torchvision import Torchvision

SOURCES: dict[str, type[Any]] = {
    "digits": Digits,
    "image_folder": ImageFolder,
    "manifest": Manifest,
    "torchvision": Torchvision,
}
"""Sources by the name that a config gives them."""
