"""Progress: lines for `verbose`, tasks for scikit-learn's callbacks."""

from collections.abc import Callable

from .driver import Epoch, Reporter


class EpochReporter(Reporter):
    """Tells the user and the estimator's callbacks about every epoch.

    Parameters
    ----------
    estimator : estimator with callback support
    context : CallbackContext
        The root context of the fit.
    data : dict
        What the hooks may ask for: X, y and metadata.
    model : callable
        Returns the attributes of a usable model as it is now.
    """

    def __init__(self, estimator, context, data: dict, model: Callable[[], dict]):
        self.estimator = estimator
        self.context = context
        self.data = data
        self.model = model
        self.listening = bool(getattr(estimator, "_skl_callbacks", ()))

    def begin(self) -> None:
        if self.listening:
            self.task = self.context.subcontext(task_name="epoch")
            self.task.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def end(self, epoch: Epoch) -> bool:
        estimator = self.estimator
        if estimator.verbose and epoch.number % int(estimator.verbose) == 0:
            print(
                f"[{type(estimator).__name__}] epoch {epoch.number:5d}  "
                f"gap {epoch.gap:9.3e}  violation {epoch.violation:9.3e}  "
                f"{epoch.seconds:8.2f} s",
                flush=True,
            )
        if not self.listening:
            return False
        return self.task.call_on_fit_task_end(
            estimator=estimator, reconstruction_attributes=self.model, **self.data
        )
