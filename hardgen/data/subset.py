"""A smaller dataset that stands for the whole: as many of each class as possible, evenly spaced, always the same."""

from collections.abc import Sequence

from hardgen.errors import HardgenError


def balanced(labels: Sequence[int], limit: int | None) -> list[int]:
    """Chooses a class-balanced subset without randomness.

    Each class gives the same number, or all it has if that is less; what is left over goes to classes evenly spaced
    among those that have more. Inside a class the chosen are evenly spaced too.

    Args:
        labels: The label of every sample.
        limit: How many to choose; None or more than there are: all.

    Returns:
        The chosen indices, ascending.

    Raises:
        HardgenError: if `limit` is less than 1.
    """
    if limit is not None and limit < 1:
        raise HardgenError(f"data.limit must be 1 or more images, or null for all; got {limit}")
    if limit is None or limit >= len(labels):
        return list(range(len(labels)))
    members: dict[int, list[int]] = {}
    for index, label in enumerate(labels):
        members.setdefault(label, []).append(index)
    sizes = {label: len(members[label]) for label in sorted(members)}
    level = 0
    while sum(min(size, level + 1) for size in sizes.values()) <= limit:
        level += 1
    quota = {label: min(size, level) for label, size in sizes.items()}
    larger = [label for label, size in sizes.items() if size > level]
    for place in _spaced(len(larger), limit - sum(quota.values())):
        quota[larger[place]] += 1
    return sorted(members[label][place] for label, n in quota.items() for place in _spaced(sizes[label], n))


def _spaced(length: int, count: int) -> list[int]:
    """`count` different places out of `length`, evenly spaced and centred."""
    return [(2 * i + 1) * length // (2 * count) for i in range(count)]
