"""Libraries that only some kinds of model need."""

import importlib
from types import ModuleType

from hardgen.errors import HardgenError


def need(module: str, kind: str) -> ModuleType:
    """Imports a library that is an optional extra, named like the kind of model.

    Raises:
        HardgenError: if it is not installed, with the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise HardgenError(f"{kind} models need the extra: pip install 'hardgen[{kind}]'") from error
