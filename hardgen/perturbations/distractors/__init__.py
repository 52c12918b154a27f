"""Distractors: other things beside the object, which stays in sight."""

from hardgen.perturbations.distractors.donors import Similarity, protected
from hardgen.perturbations.distractors.patches import Clutter, Flankers

__all__ = ["Clutter", "Flankers", "Similarity", "protected"]
