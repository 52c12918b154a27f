"""Axes to simulate."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """An axis to simulate; `half` gives each model's true threshold in hardness by `half - 0.08 * model index`."""

    slot: str
    knob: str
    perturbation: str
    unit: str
    neutral: float
    hardest: float
    scale: str = "linear"
    half: float = 0.5
    doc: str = "How far it is turned."
    limits: str = "Real scenes differ."
    published: str | None = None

    @property
    def name(self) -> str:
        return f"{self.slot}.{self.knob}"

    def value(self, h: float) -> float:
        if h == 0:
            return self.neutral
        if self.scale == "log":
            return self.neutral * (self.hardest / self.neutral) ** h
        if self.scale == "reciprocal":
            return self.hardest / h
        return self.neutral + (self.hardest - self.neutral) * h


OCCLUSION = Axis(
    "occlusion",
    "fraction",
    "occlusion",
    "of the image",
    0.0,
    0.9,
    half=0.62,
    doc="Share of the image that is covered.",
    limits="Flat patches have sharp edges and no depth; real occluders are objects that belong to the scene.",
)
BLUR = Axis(
    "blur",
    "sigma",
    "gaussian_blur",
    "of the short side",
    0.0,
    0.1,
    half=0.38,
    doc="Standard deviation of the Gaussian kernel.",
    limits="The same blur everywhere: no depth of field and no bright discs as a lens makes.",
)
CONTRAST = Axis(
    "contrast",
    "factor",
    "contrast",
    "of the image's contrast",
    1.0,
    0.02,
    scale="log",
    half=0.7,
    doc="Contrast kept about the image's mean.",
    limits="Noise of the sensor does not grow as it does in real haze.",
)
GRATING = Axis(
    "grating",
    "spacing",
    "grating",
    "of the short side between lines",
    float("inf"),
    0.02,
    scale="reciprocal",
    half=0.8,
    doc="Distance from line to line.",
    limits="Lines lie in front of everything, evenly lit.",
)
