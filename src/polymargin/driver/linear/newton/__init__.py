"""Newton steps for linear machines."""
