"""Texture and shape: one of the two stays and the other goes."""
