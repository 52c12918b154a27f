"""Regions of like colour, joined to fewer and fewer: each partition of an image is nested in the next."""

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from hardgen.functional.flatten import flat
from hardgen.functional.sources import Floats, Making, make

WORK, WIDE = 112, 4
"""Pixels along the short side on which contours are found, of images up to so many times as long; fewer of longer."""

EASE = 1 / 8
"""Share of the most regions over whose loss the image blends into them."""

MANY, FEW = 1500, 8
"""Regions above which they join in pairs, with what is next to a pair, unless that is less than an eighth of them."""

MIXER, BACK = np.uint32(2654435769), np.uint32(340573321)
"""Two numbers whose product is 1 modulo 2^32: the first mixes edges' numbers, the second brings them back."""

Labels = NDArray[np.int32]


def superpixels(images: Tensor, count: float, most: float) -> Tensor:
    """Gives each region of an image its mean colour.

    Args:
        images: B x C x H x W float32.
        count: Regions, at least 1; rounded.
        most: Regions from which on, or from as many as the image has pixels, it is left as it is.

    Returns:
        The same shape, channels_last.
    """
    return make(images.cpu(), parting(count, most)).to(images.device)


def parting(count: float, most: float) -> Making:
    """`superpixels` for each image by itself, on the CPU."""

    def parted(image: Floats, _: int) -> Floats:
        height, width = image.shape[:2]
        top = min(most, height * width)
        share = min((top - count) / (top * EASE), 1.0)
        if share <= 0:
            return image
        scale = min(WORK / min(height, width), WORK * (WIDE / (height * width)) ** 0.5, 1.0)
        size = max(round(width * scale), 1), max(round(height * scale), 1)
        small: Floats = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.float32)
        labels = regions(small.reshape(size[1], size[0], -1), round(count))
        rows, columns = (np.arange(n) * m // n for n, m in ((height, size[1]), (width, size[0])))
        made = flat(image, labels[rows][:, columns].ravel())
        return made if share == 1.0 else image + (made - image) * np.float32(share)

    return Making(parted)


def regions(image: NDArray[np.float32], count: int) -> Labels:
    """Parts an image into so many connected regions of like colour.

    In every round each region chooses that neighbour at whose joining the squared error of the regions' means grows
    least (Ward's criterion, in the rounds of Boruvka's algorithm), and the cheapest join, until enough are left. So
    fewer regions are made of more. While they are many, only pairs that chose each other join, and what chose one of a
    pair, or a slope of even brightness would join from end to end.

    Args:
        image: h x w x C float32.
        count: Regions, at least 1.

    Returns:
        h x w numbers of regions from 0 on.
    """
    height, width, channels = image.shape
    left = height * width
    labels: Labels = np.arange(left, dtype=np.int32).reshape(height, width)
    first = np.concatenate((labels[:, :-1].ravel(), labels[:-1].ravel()))
    second = np.concatenate((labels[:, 1:].ravel(), labels[1:].ravel()))
    sizes, means = np.ones(left, np.float32), image.reshape(left, channels)
    while left > count:
        apart = means.take(first, 0) - means.take(second, 0)
        costs = np.einsum("ij,ij->i", apart, apart)
        one, other = sizes.take(first), sizes.take(second)
        costs *= one * other / (one + other)
        mixed = np.arange(len(costs), dtype=np.uint32) * MIXER  # among equals, or all would choose one way
        best = np.zeros(left, np.uint32)
        least = np.full(left, np.inf, np.float32)
        for ends in (first, second):
            np.minimum.at(least, ends, costs)
        for ends in (first, second):
            cheapest = np.flatnonzero(costs == least.take(ends))
            np.maximum.at(best, ends[cheapest], mixed[cheapest])
        votes = np.bincount(best * BACK, minlength=len(costs))
        wanted = votes > 0
        if left > MANY:
            paired = np.zeros(left, np.bool_)
            for ends in (first, second):
                paired[ends[votes == 2]] = True
            near = wanted & (paired.take(first) | paired.take(second))
            wanted = near if np.count_nonzero(near) > left / FEW else wanted
        joins = np.flatnonzero(wanted)
        joins = joins[np.argsort(costs[joins], kind="stable")[: left - count]]
        links = csr_matrix((np.ones(len(joins), np.bool_), (first[joins], second[joins])), (left, left))
        left, joined = connected_components(links, directed=False)
        totals = np.bincount(joined, sizes, left)
        sums = (np.bincount(joined, sizes * means[:, c], left) for c in range(channels))
        means = np.stack([total / totals for total in sums], 1).astype(np.float32)
        sizes, labels = totals.astype(np.float32), joined.take(labels)
        first, second = joined.take(first), joined.take(second)
        low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
        pairs = np.sort((low * left + high)[low != high])
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        first, second = (ends.astype(np.int32) for ends in np.divmod(pairs, left))
    return labels
