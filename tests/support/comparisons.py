"""A small comparison, and what its tests share."""

from dataclasses import replace

from polymargin.selection.protocols import PROTOCOLS

QUICK = replace(PROTOCOLS["holdout"], repeats=2, grid={"C": (0.1, 1.0)})
QUIET = {"convergence": False, "scaling": False, "prepare": "standard"}
EXAMPLE = {
    "datasets": ["iris", "wine", "breast_cancer"],
    "machines": ["cs", "ww", "maxent"],
    "protocol": QUICK,
    "prepare": "standard",
}
