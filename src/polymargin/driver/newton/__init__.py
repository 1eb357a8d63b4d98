"""The proximal point method on the dual, by semismooth Newton steps."""
