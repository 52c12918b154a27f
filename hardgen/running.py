"""Runs a command of the command line: configuration is composed, mistakes become one line."""

import contextlib
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence

import hydra
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from hardgen import commands, merge, registry
from hardgen.config import CONF, store
from hardgen.config_errors import explain
from hardgen.errors import HardgenError, Mistake, near
from hardgen.heap import keep_freed_memory
from hardgen.help import HELP
from hardgen.listing import list_command
from hardgen.progress import console

TASKS: dict[str, Callable[..., None]] = {
    "preview": commands.preview,
    "generate": commands.generate,
    "sweep": commands.sweep,
    "report": commands.report,
    "doses": commands.doses,
    "calibrate": commands.calibrate,
}


def run(command: str, words: Sequence[str]) -> int:
    """Runs one command.

    Args:
        command: Its name.
        words: What follows it.

    Returns:
        The exit code: 0 done, 1 jobs of a multirun failed, 2 a mistake that the user can mend (one line says which),
        130 interrupted, 143 told to end.
    """
    warnings.showwarning = _warn  # type: ignore[assignment]
    with contextlib.suppress(ValueError):  # only the main thread may
        signal.signal(signal.SIGTERM, _end)
    try:
        return _run(command, list(words))
    except KeyboardInterrupt as interrupt:
        console.print(
            "hardgen: stopped; files that are written are kept: the same command with the same out= makes the rest",
            soft_wrap=True,
        )
        return 143 if isinstance(interrupt, Terminated) else 130
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Mistake, HardgenError, HydraException, OmegaConfBaseException, OSError, ValueError) as raised:
        error = raised.error if isinstance(raised, Mistake) else raised
        code = raised.code if isinstance(raised, Mistake) else 2
        if type(error) is ValueError and not str(error).startswith("Config group override"):
            raise
        line = f"hardgen: error: {explain(error, command, words)}"
        console.print(line, style="red", markup=False, soft_wrap=True)
        return code


class Terminated(KeyboardInterrupt):
    """A scheduler wants the process to end: what Ctrl-C does is done."""


def _end(*_: object) -> None:
    raise Terminated


def _run(command: str, rest: list[str]) -> int:
    if command not in HELP:
        raise HardgenError(f"unknown command {command!r}{near(command, HELP)}")
    keep_freed_memory()
    commands.started = time.time()
    registry.load_installed()
    for path in plugins_named(rest):
        registry.load_file(path)
    if command == "list" and "--doses" in rest:
        command, rest = "doses", [word for word in rest if word != "--doses"]
    if command == "list":
        list_command(rest)
        return 0
    store()
    overrides = ["dry_run=true" if word == "--dry-run" else word for word in rest]
    if command == "report":
        overrides = commands.runs_as_override(overrides)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come here as they are, and `explain` puts them into one line
    before, sys.argv = sys.argv, ["hardgen", *sorted(overrides, key=_is_override)]
    try:
        hydra.main(version_base="1.3", config_path=str(CONF), config_name=command)(TASKS[command])()
    finally:
        sys.argv = before
    return 1 if merge.failed else 0


def _is_override(word: str) -> bool:
    """Whether a word is `key=value` or `~key`; Hydra wants those after its flags, and all together."""
    return not word.startswith("-") and ("=" in word or word.startswith("~"))


def _warn(message: Warning | str, category: type[Warning], *_: object) -> None:
    console.print(f"hardgen: warning: {message}", style="yellow", markup=False, soft_wrap=True)


def plugins_named(words: Sequence[str]) -> list[str]:
    """The files of a `plugins=[a.py,b.py]` override; plug-ins must be known before a config is composed."""
    files: list[str] = []
    for word in words:
        key, _, value = word.partition("=")
        if key.lstrip("+") == "plugins":
            files = [name.strip().strip("'\"") for name in value.strip("[]").split(",") if name.strip()]
    return files
