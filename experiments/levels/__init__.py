"""How close the level design comes to asking every image at every level."""
