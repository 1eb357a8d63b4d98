"""What there is to say about a fitted model: the page, for people and for programs."""

from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np

from ...base.counted import counted
from ...explanation.explanation import Explanation
from ...explanation.pictures import page
from ...explanation.text_bars import name_of
from ...machine.registry import FORMULATIONS
from .evaluation import Evaluation
from .set_evaluation import SetEvaluation
from .text_table import table

_MOST = 20  # classes on a page


@dataclass(frozen=True)
class Description:
    """What there is to say about a model; `str` is a page to read.

    Attributes
    ----------
    estimator, machine, loss : str
    steps : list of str
        Of a pipeline: what comes before the estimator.
    parameters : dict
        Those that are not the default.
    classes : list
    n_features : int
    n_parameters, n_nonzeros : int
        Weights, or coefficients of support vectors, and those that are not zero.
    kernel : dict or None
        Its name and parameters.
    n_support : int or None
        Rows with coefficients other than zero; landmarks of an approximation.
    n_support_by_class : list of int or None
    certificate : dict
        "status", "n_iter", "objective", "dual_objective", "gap", "violation" and
        "seconds", as far as they are known.
    features : list of dict
        For every class its most telling "features" with their "weights"; for linear
        machines.
    support : list of dict
        The heaviest support vectors: "row" of the training, "weight", and the "label"
        that it speaks for most; for machines with kernels.
    evaluation : Evaluation, SetEvaluation or None
        On data.
    metadata : dict
        What came with the model file.
    """

    estimator: str
    machine: str
    loss: str
    parameters: dict[str, Any]
    classes: list[Any]
    n_features: int
    n_parameters: int
    n_nonzeros: int
    steps: list[str] = field(default_factory=list)
    kernel: dict[str, Any] | None = None
    n_support: int | None = None
    n_support_by_class: list[int] | None = None
    certificate: dict[str, Any] = field(default_factory=dict)
    features: list[dict[str, Any]] = field(default_factory=list)
    support: list[dict[str, Any]] = field(default_factory=list)
    evaluation: Evaluation | SetEvaluation | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it; infinities are None."""
        parts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        parts["certificate"] = {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in self.certificate.items()
        }
        if self.evaluation is not None:
            parts["evaluation"] = self.evaluation.to_dict()
        return parts

    def __str__(self) -> str:
        name = FORMULATIONS[self.machine].full_name
        lines = [f"{self.estimator}: {name}, {self.loss.replace('_', ' ')} loss"]
        lines += table(self._facts())
        if self.features:
            lines += ["", "most telling features, with their weights"]
            for about in self.features[:_MOST]:
                pairs = zip(about["features"], about["weights"], strict=True)
                told = ", ".join(f"{name_of(at)} {weight:+.3g}" for at, weight in pairs)
                lines.append(f"  {about['label']}: {told or 'none'}")
            if len(self.features) > _MOST:
                lines.append(f"  ... and {len(self.features) - _MOST:,} more classes")
        if self.support:
            lines += ["", "heaviest support vectors"]
            lines += table(
                [
                    (
                        "of a stream" if one["row"] is None else f"row {one['row']}",
                        f"{one['weight']:.4g}",
                        f"for {one['label']}",
                    )
                    for one in self.support
                ]
            )
        if self.evaluation is not None:
            lines += ["", *self.evaluation.lines(_MOST)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return it for notebooks: the facts, and bars for the telling features."""
        told = Explanation(self.classes, self.features)
        lines = str(replace(self, features=[]))
        return f"<pre>{escape(lines)}</pre>{page(told)}"

    def _facts(self) -> list[tuple[str, ...]]:
        labels = ", ".join(map(str, self.classes[:_MOST]))
        more = ", ..." if len(self.classes) > _MOST else ""
        weights = "coefficients" if self.kernel else "weights"
        facts = [
            ("classes", f"{len(self.classes):,} ({labels}{more})"),
            ("features", f"{self.n_features:,}"),
            (weights, f"{self.n_parameters:,}, {self.n_nonzeros:,} of them not zero"),
        ]
        if self.steps:
            facts.insert(1, ("features by", ", ".join(self.steps)))
        if self.kernel:
            facts.append(("kernel", _settings(self.kernel)))
        if self.n_support is not None:
            landmarks = self.kernel and self.n_support_by_class is None
            kind = "landmarks" if landmarks else "support vectors"
            facts.append((kind, self._support_counts()))
        if self.parameters:
            facts.append(("parameters", _settings(self.parameters)))
        known = self.certificate
        if "status" in known:
            ended = known["status"]
            if "n_iter" in known:
                ended += f" after {counted(known['n_iter'], 'rounds')}"
            if "seconds" in known:
                ended += f" in {known['seconds']:.3g} s"
            facts.append(("training", ended))
        if "objective" in known:
            facts.append(("objective", f"{known['objective']:.8g}"))
        if "dual_objective" in known:
            facts.append(("dual objective", f"{known['dual_objective']:.8g}"))
        if "gap" in known:
            facts.append(("relative gap", f"{known['gap']:.3g}"))
        facts += [
            (f"[{name}]", str(value))
            for name, value in self.metadata.items()
            if not isinstance(value, dict | list)  # for programs
        ]
        width = max(len(name) for name, _ in facts)
        return [(f"{name:<{width}}  {value}",) for name, value in facts]

    def _support_counts(self) -> str:
        if not self.n_support_by_class:
            return f"{self.n_support:,}"
        counts = ", ".join(map(str, self.n_support_by_class[:_MOST]))
        more = ", ..." if len(self.n_support_by_class) > _MOST else ""
        return f"{self.n_support:,} (by class {counts}{more})"


def _settings(values: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in values.items()
    )
