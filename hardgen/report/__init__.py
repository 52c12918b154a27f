"""Tables to figures and one page that opens offline."""
