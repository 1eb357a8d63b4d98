"""What goes wrong with model files."""


class ModelFileError(ValueError):
    """A file is no model, or a damaged one; the message is one sentence."""
