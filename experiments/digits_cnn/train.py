"""Trains the bundled digits model: python experiments/digits_cnn/train.py [--out FILE]."""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from hardgen.data.digits import GROUND, INK, Digits, Split, draw
from hardgen.data.loading import to_batch
from hardgen.files import atomic_path
from hardgen.models.digits_cnn import WEIGHTS, DigitsNet

EPOCHS, BATCH, RATE = 40, 64, 3e-3
DARK, BRIGHT = (0.05, 0.35), (0.3, 0.65)
"""Brightness of the ground, and how much brighter the ink is."""


def drawn(scans: np.ndarray, rng: np.random.Generator) -> Tensor:
    """Each digit in a fresh size, place and brightness of ground and ink, B x 3 x 64 x 64 in [0, 1]."""
    images = torch.from_numpy(np.stack([draw(scan, rng) for scan in scans])).float()[:, None]
    ground, ink = (
        torch.from_numpy(rng.uniform(low, high, (len(scans), 1, 1, 1))).float() for low, high in (DARK, BRIGHT)
    )
    return (ground + ink * (images - GROUND) / (INK - GROUND)).clamp(0, 1).expand(-1, 3, -1, -1)


def accuracy(net: nn.Module, split: Split) -> float:
    """Share of a split's samples that the network has right."""
    dataset = Digits(split).build()
    batch = to_batch([dataset[i] for i in range(len(dataset))])
    with torch.inference_mode():
        return (net.eval()(batch.images).argmax(1) == torch.tensor(batch.labels)).float().mean().item()


def train(seed: int) -> DigitsNet:
    """A trained network."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    dataset = Digits(Split.train).build()
    labels = torch.tensor(dataset.labels())
    net = DigitsNet()
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=1e-2)
    steps = EPOCHS * (len(dataset) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    started = time.monotonic()
    for epoch in range(EPOCHS):
        net.train()
        order, total = rng.permutation(len(dataset)), 0.0
        for start in range(0, len(dataset) - BATCH + 1, BATCH):
            pick = order[start : start + BATCH]
            loss = nn.functional.cross_entropy(net(drawn(dataset.scans[pick], rng)), labels[pick])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {total / (len(dataset) // BATCH):.4f}, {time.monotonic() - started:.0f} s")
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    trained = train(arguments.seed)
    print(f"train {accuracy(trained, Split.train):.4f}, test {accuracy(trained, Split.test):.4f}")
    with atomic_path(arguments.out) as temporary:
        save_file(trained.state_dict(), temporary)
    print(f"{sum(p.numel() for p in trained.parameters())} weights, {arguments.out.stat().st_size} bytes")
