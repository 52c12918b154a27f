"""The command line: `hardgen COMMAND [key=value ...]`."""

import importlib.metadata
import os
import sys
import warnings
from collections.abc import Callable, Sequence

import hydra
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from hardgen import commands, merge, registry
from hardgen.config import CONF, store
from hardgen.config_errors import explain
from hardgen.errors import HardgenError, near
from hardgen.help import HELP, OVERVIEW
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Returns:
        The exit code: 0 done, 2 a mistake that the user can mend (one line says which), 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    warnings.showwarning = _warn  # type: ignore[assignment]
    try:
        return _run(given)
    except KeyboardInterrupt:
        console.print("hardgen: stopped; what is done is kept: the same command with the same out= goes on from there")
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (commands.Mistake, HardgenError, HydraException, OmegaConfBaseException, OSError, ValueError) as raised:
        error = raised.error if isinstance(raised, commands.Mistake) else raised
        if type(error) is ValueError and not str(error).startswith("Config group override"):
            raise
        line = f"hardgen: error: {explain(error, given[0], given[1:])}"
        console.print(line, style="red", markup=False, soft_wrap=True)
        return 2


def _run(given: list[str]) -> int:
    command, rest = (given[0], given[1:]) if given else ("--help", [])
    if command in ("-h", "--help", "help"):
        print(OVERVIEW)
        return 0
    if command in ("-V", "--version", "version"):
        print(f"hardgen {importlib.metadata.version('hardgen')}")
        return 0
    if command not in HELP:
        raise HardgenError(f"unknown command {command!r}{near(command, HELP)}")
    if "-h" in rest or "--help" in rest:
        print(HELP[command])
        return 0
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
    return 2 if merge.failed else 0


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


if __name__ == "__main__":
    sys.exit(main())
