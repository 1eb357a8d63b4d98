"""What is proved of a model: primal, dual, and the gap between them."""
