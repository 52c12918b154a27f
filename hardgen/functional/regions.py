"""Regions of like colour, joined to fewer and fewer: each partition of an image is nested in the next."""

import math
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from hardgen.functional.flatten import flat
from hardgen.functional.sources import Floats, Making, make

WORK = 112
"""Pixels along the short side on which contours are found."""

Labels = NDArray[np.int32]


def superpixels(images: Tensor, count: float, most: float) -> Tensor:
    """Gives each region of an image its mean colour.

    Args:
        images: B x C x H x W float32.
        count: Regions, at least 1; of a number between two partitions' the image is between theirs.
        most: Regions from which on, or from as many as the image has pixels, it is left as it is.

    Returns:
        The same shape, channels_last.
    """
    return make(images.cpu(), parting(count, most)).to(images.device)


def parting(count: float, most: float) -> Making:
    """`superpixels` for each image by itself, on the CPU."""

    def parted(image: Floats, _: int) -> Floats:
        height, width = image.shape[:2]
        finer, above = None, float(min(most, height * width))
        if count >= above:
            return image
        scale = min(WORK / min(height, width), 1.0)
        size = max(round(width * scale), 1), max(round(height * scale), 1)
        small: Floats = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32)
        rows, columns = (np.arange(n) * m // n for n, m in ((height, size[1]), (width, size[0])))
        for labels, number in partitions(small.reshape(size[1], size[0], -1)):
            if number > count:
                finer, above = (labels, float(number)) if number < above else (finer, above)
                continue
            share = math.log(above / count) / math.log(above / number)
            start, end = (
                image if part is None else flat(image, part[rows][:, columns].ravel()) for part in (finer, labels)
            )
            return start + (end - start) * np.float32(share)
        raise AssertionError("the last partition has one region")

    return Making(parted)


def partitions(image: NDArray[np.float32]) -> Iterator[tuple[Labels, int]]:
    """Ever coarser partitions of an image into connected regions, and how many regions each has, down to one.

    In every round each region joins that neighbour at whose joining the squared error of the regions' means grows
    least (Ward's criterion, in the rounds of Boruvka's algorithm): about a quarter are left.

    Args:
        image: h x w x C float32.

    Yields:
        h x w numbers of regions, and their count.
    """
    height, width, channels = image.shape
    count = height * width
    labels: Labels = np.arange(count, dtype=np.int32).reshape(height, width)
    first = np.concatenate((labels[:, :-1].ravel(), labels[:-1].ravel()))
    second = np.concatenate((labels[:, 1:].ravel(), labels[1:].ravel()))
    sizes, means = np.ones(count, np.float32), image.reshape(count, channels)
    while count > 1:
        apart = means.take(first, 0) - means.take(second, 0)
        costs = np.einsum("ij,ij->i", apart, apart)
        one, other = sizes.take(first), sizes.take(second)
        costs *= one * other / (one + other)
        least = np.full(count, np.inf, np.float32)
        np.minimum.at(least, first, costs)
        np.minimum.at(least, second, costs)
        chosen = np.empty(count, np.int32)
        for here, there in ((first, second), (second, first)):
            best = costs == least.take(here)
            chosen[here[best]] = there[best]
        links = csr_matrix((np.ones(count, np.bool_), chosen, np.arange(count + 1)), (count, count))
        count, joined = connected_components(links, directed=False)
        totals = np.bincount(joined, sizes, count)
        sums = (np.bincount(joined, sizes * means[:, c], count) for c in range(channels))
        means = np.stack([total / totals for total in sums], 1).astype(np.float32)
        sizes, labels = totals.astype(np.float32), joined.take(labels)
        first, second = joined.take(first), joined.take(second)
        low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
        pairs = np.sort((low * count + high)[low != high])
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        first, second = (ends.astype(np.int32) for ends in np.divmod(pairs, count))
        yield labels, count
