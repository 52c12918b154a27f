"""The command line: `hardgen COMMAND [key=value ...]`."""

import importlib.metadata
import sys
from collections.abc import Sequence

from hardgen.help import HELP, OVERVIEW


def main(arguments: Sequence[str] | None = None) -> int:
    """Gives help, or runs one command.

    Returns:
        The exit code: 0 done, 2 a mistake that the user can mend (one line says which), 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    command, rest = (given[0], given[1:]) if given else ("--help", [])
    if command in ("-h", "--help", "help"):
        print(OVERVIEW)
        return 0
    if command in ("-V", "--version", "version"):
        print(f"hardgen {importlib.metadata.version('hardgen')}")
        return 0
    if command in HELP and ("-h" in rest or "--help" in rest):
        print(HELP[command])
        return 0
    from hardgen.running import run  # it imports torch, which takes a second: help does not wait for it

    return run(command, rest)


if __name__ == "__main__":
    sys.exit(main())
