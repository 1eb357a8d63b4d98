"""The sequential driver on rows that lie on disk."""
