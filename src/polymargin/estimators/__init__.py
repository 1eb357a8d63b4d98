"""The scikit-learn classes: parameters, validation, fitted attributes."""
