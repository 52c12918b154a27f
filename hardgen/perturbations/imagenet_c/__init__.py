"""ImageNet-C (D. Hendrycks, T. Dietterich 2019, arXiv 1903.12261): its 15 corruptions and 4 more, at its severities."""
