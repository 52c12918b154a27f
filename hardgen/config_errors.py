"""Hydra's and OmegaConf's errors, put into one line with the nearest name."""

import re
from collections.abc import Sequence
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from hardgen.config import CONF, options
from hardgen.errors import HardgenError, near, one_line

LAUNCHERS = {"joblib": "joblib", "submitit_local": "slurm", "submitit_slurm": "slurm", "ray": "ray"}
"""The extra that each launcher comes with."""


def explain(error: BaseException, command: str, words: Sequence[str]) -> str:
    """One line that says what is wrong with a command's configuration.

    Args:
        error: What was raised.
        command: The command that ran.
        words: Its overrides.
    """
    return _explained(error, command, words) + _torn(words)


def _torn(words: Sequence[str]) -> str:
    """A hint where the shell has made several words of one: `hardness={start:0,stop:1}` unquoted."""
    pairs = [word.partition("=") for word in words]
    keys = [key for key, _, value in pairs if re.match(r"\{?[\w.]+:", value)]
    torn = next((key for key in keys if sum(other == key for other, _, _ in pairs) > 1), None)
    return "" if torn is None else f"; the shell took the braces apart: quote them, {torn}='{{...}}'"


def _explained(error: BaseException, command: str, words: Sequence[str]) -> str:
    if isinstance(error, HardgenError):
        return str(error)
    if isinstance(error, OSError) and not isinstance(error, HydraException):
        return one_line(error)
    if str(error).startswith("Config group override"):
        return f"{error}: name one of its options".replace("\n", " ")
    group_option = re.search(r"Could not load '([^']+)'", str(error))
    if group_option:
        group, _, name = group_option[1].rpartition("/")
        return f"unknown {group} {name!r}{near(name, options(group))}"
    if isinstance(error, MissingConfigException) and error.options is not None and error.missing_cfg_file:
        group, _, name = str(error.missing_cfg_file).rpartition("/")
        if group.startswith("pipeline/"):
            group, name = "pipeline", str(error.missing_cfg_file).removeprefix("pipeline/")
            return f"unknown {group} {name!r}{near(name, options(group))}"
        if group == "hydra/launcher" and name in LAUNCHERS:
            return f"hydra/launcher={name} needs the extra: pip install 'hardgen[{LAUNCHERS[name]}]'"
        known = {*error.options, *(LAUNCHERS if group == "hydra/launcher" else ())}
        return f"unknown {group.rpartition('/')[2] or 'config'} {name!r}{near(name, known)}"
    key = re.search(r"Could not override '([^']+)'", str(error))
    if key:
        return _unknown_key(key[1], command, words)
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("See https")]
    what = "; ".join(lines[:2]) or type(error).__name__
    return f"cannot read the overrides: {what}" if isinstance(error, OverrideParseException) else what


def _unknown_key(key: str, command: str, words: Sequence[str]) -> str:
    """Finds the first part of a dotted key that the config does not have, and what stands in its place."""
    others = [word for word in words if not word.lstrip("+~").startswith((f"{key}=", f"{key}@", "-"))]
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(CONF), version_base="1.3"):
            node: Any = compose(command, others)
    except (HydraException, OmegaConfBaseException):
        return f"unknown config key {key!r}"
    path = key.split(".")
    for i, part in enumerate(path):
        if not isinstance(node, DictConfig):
            return f"config key {'.'.join(path[:i])!r} holds a value, not a mapping; got {key!r}"
        if part not in node:
            where = f" of {'.'.join(path[:i])!r}" if i else ""
            return f"unknown config key {part!r}{where}{near(part, map(str, node))}"
        node = None if OmegaConf.is_missing(node, part) else node[part]
    return f"cannot set config key {key!r}"
