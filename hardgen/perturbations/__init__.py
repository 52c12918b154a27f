"""The catalogue: importing it registers every built-in perturbation, a folder or file for each family."""

import importlib
import pkgutil

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
