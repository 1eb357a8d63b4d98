"""Rows on disk: data larger than memory is converted once, then trained on."""
