"""The catalogue: importing it registers every built-in perturbation."""

from hardgen.perturbations import blur, contrast, distractors, geometric, noise, occlusion, text

__all__ = ["blur", "contrast", "distractors", "geometric", "noise", "occlusion", "text"]
