"""Weather, and what lies on the lens."""
