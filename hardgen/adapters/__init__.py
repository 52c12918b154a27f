"""Adapters: a transform of Albumentations, Kornia or torchvision v2 becomes a perturbation from a YAML file.

`recipe` reads the file, `libraries` finds and calls the transform, `adapted` makes the class, `loading` registers it.
"""
