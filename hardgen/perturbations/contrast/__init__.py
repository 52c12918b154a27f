"""Contrast and tone: how values spread, and how much light there is and where."""

from hardgen.perturbations.contrast.exposure import About, Brightness, Contrast, Direction, LowLight

__all__ = ["About", "Brightness", "Contrast", "Direction", "LowLight"]
