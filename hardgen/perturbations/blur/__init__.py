"""Blur: a point of the scene spreads over several pixels."""

from hardgen.perturbations.blur.linear import DefocusBlur, GaussianBlur, MotionBlur

__all__ = ["DefocusBlur", "GaussianBlur", "MotionBlur"]
