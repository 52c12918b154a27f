"""The maths of ImageNet-C's corruptions (D. Hendrycks, T. Dietterich 2019, arXiv 1903.12261), step for step."""
