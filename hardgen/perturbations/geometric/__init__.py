"""Geometry: the scene from elsewhere; boxes and masks move along."""

from hardgen.perturbations.geometric.affine import Rotation

__all__ = ["Rotation"]
