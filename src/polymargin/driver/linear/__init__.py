"""Drivers of linear machines, which keep W."""
