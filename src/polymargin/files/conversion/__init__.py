"""Data of any size into a row store."""
