"""Colour: hue, saturation, the light's colour, and what the channels hold."""
