"""Plain YAML, without its traps: no key stands twice, 010 is not 8, 1e-1 is a number, and none is huge."""

import re
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped, unused-ignore]

from hardgen.errors import HardgenError, shown
from hardgen.fields import LARGEST


def read_yaml(file: Path) -> Any:
    """What a YAML file holds.

    Raises:
        HardgenError: in one line, if it is no YAML, a key stands twice in a mapping, or a whole number is too large.
    """
    try:
        return yaml.load(file.read_text(encoding="utf-8"), _Plain)
    except (yaml.YAMLError, ValueError) as error:  # no UTF-8, or a date that does not exist
        raise HardgenError(f"not a YAML file: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise HardgenError("not a YAML file: it is nested too deep") from None


class _Plain(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                raise HardgenError(f"{key}: stands twice in the mapping of line {node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)

    def construct_yaml_int(self, node: Any) -> int:
        try:
            number = int(super().construct_yaml_int(node))
        except ValueError:  # of more than 4300 digits
            number = LARGEST
        line, got = node.start_mark.line + 1, shown(node.value)
        if re.search(r"^[-+]?0[0-7]|:", node.value):
            raise HardgenError(f"line {line}: {got} is {number} in YAML: write that, or the text in quotes")
        if abs(number) >= LARGEST:
            raise HardgenError(f"line {line}: a whole number must be less than {LARGEST:.2g} in size; got {got}")
        return number


_Plain.add_constructor("tag:yaml.org,2002:int", _Plain.construct_yaml_int)
_Plain.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)
