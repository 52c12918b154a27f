"""Times imagecorruptions in a virtual environment of its own; runs with that environment's Python, not with hardgen's.

Reads one JSON object a line from standard input and answers with one: {"prepare": {"file": F, "threads": T}},
{"run": NAME, "count": K} gives {"seconds": ...}, {"peak": NAME} gives {"bytes": ...}.

Version 1.1.2 does not run on current NumPy and scikit-image; three lines mend it without changing what it computes.
"""

import json
import sys
import time
from functools import partial

import cv2
import numpy as np
import skimage.filters
from memory import peak

np.float_ = np.float64  # removed in NumPy 2


def gaussian(image, sigma=1, multichannel=None, **others):
    """scikit-image's filter under the argument name that it had when the reference was written."""
    return skimage.filters.gaussian(image, sigma=sigma, channel_axis=-1 if multichannel else None, **others)


import imagecorruptions  # noqa: E402
import imagecorruptions.corruptions as reference  # noqa: E402

reference.gaussian = gaussian


def batch(images, name):
    """8-bit images to the float batch that a model takes, N x 3 x H x W."""
    made = [imagecorruptions.corrupt(image, severity=3, corruption_name=name) for image in images]
    return np.ascontiguousarray(np.stack(made).transpose(0, 3, 1, 2)).astype(np.float32) / np.float32(255)


def main():
    """Answers until standard input ends."""
    images = []
    for line in sys.stdin:
        asked = json.loads(line)
        if "prepare" in asked:
            cv2.setNumThreads(asked["prepare"]["threads"])
            images = list(np.load(asked["prepare"]["file"]))
            answer = {"ready": len(images)}
        elif "run" in asked:
            start = time.perf_counter()
            batch(images[: asked["count"]], asked["run"])
            answer = {"seconds": time.perf_counter() - start}
        else:
            answer = {"bytes": peak(partial(batch, images, asked["peak"]))}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
