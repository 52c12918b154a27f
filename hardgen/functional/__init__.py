"""Pure maths on image tensors: no randomness, no state. It alone knows devices."""
