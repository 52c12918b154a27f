"""A good adapter's file, which tests load as it stands or spoil first."""

from collections.abc import Callable

from hardgen.adapters.adapted import Adapted

Load = Callable[[str], type[Adapted]]

EMBOSS = """\
name: relief
library: albumentations
transform: Emboss
knob: {name: alpha, neutral: 0.0, hardest: 1.0, unit: of the relief, doc: Share of the relief.}
parameters: {alpha: [value, value], strength: [0.5, 0.5]}
random: false
doc: Makes a relief.
limits: Light from one side.
"""
