"""Digital: what encoders, few levels and few pixels do."""
