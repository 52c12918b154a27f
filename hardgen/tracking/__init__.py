"""Runs told to the trackers that people keep their experiments in: TensorBoard, MLflow, Weights & Biases."""
