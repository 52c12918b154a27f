"""Plan, run and read: conditions as data, their execution, and the tables that come of it."""
