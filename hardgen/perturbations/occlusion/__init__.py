"""Occlusion: something stands in front of the scene, over an exact share of it."""

from hardgen.perturbations.occlusion.aware import BackgroundOcclusion, InsideOut, OutsideIn, SalientCells
from hardgen.perturbations.occlusion.natural import Blobs, Cutout, Leaves
from hardgen.perturbations.occlusion.occluder import Cover, Fill, Occluder
from hardgen.perturbations.occlusion.patterns import Checkerboard, CrossBars, PixelDrop, PolkaDots
from hardgen.perturbations.occlusion.shapes import Bars, Grid, Holes, Rectangle

__all__ = [
    "BackgroundOcclusion",
    "Bars",
    "Blobs",
    "Checkerboard",
    "Cover",
    "CrossBars",
    "Cutout",
    "Fill",
    "Grid",
    "Holes",
    "InsideOut",
    "Leaves",
    "Occluder",
    "OutsideIn",
    "PixelDrop",
    "PolkaDots",
    "Rectangle",
    "SalientCells",
]
