"""Occlusion: something stands in front of the scene, over an exact share of it."""

from hardgen.perturbations.occlusion.occluder import Fill, Occluder
from hardgen.perturbations.occlusion.shapes import Bars, Grid, Holes, Rectangle

__all__ = ["Bars", "Fill", "Grid", "Holes", "Occluder", "Rectangle"]
