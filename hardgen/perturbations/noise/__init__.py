"""Noise: values that have nothing to do with the scene."""

from hardgen.perturbations.noise.independent import GaussianNoise

__all__ = ["GaussianNoise"]
