"""Tables to tables: what the answers of a run say, each number with its interval."""
