"""How close the designs that ask less come to asking every image at every level."""
