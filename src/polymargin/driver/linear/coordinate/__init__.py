"""Penalties that make weights zero, by coordinate descent."""
