"""Adapters: transforms of Albumentations, Kornia and torchvision that the rest of the catalogue does not have."""

from hardgen.adapters.loading import load
from hardgen.files import CONF

for _file in sorted((CONF / "adapters").glob("*.yaml")):
    load(_file, f"{__name__}.{_file.stem}", trial=False)
