"""The driver of a kernel machine that learns from a stream."""
