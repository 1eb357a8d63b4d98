"""Data in, models in and out, and files that are never there in part."""
