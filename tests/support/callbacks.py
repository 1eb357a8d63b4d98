"""Callbacks that keep what they are told, or do something after some steps."""


class Recorder:
    """Keeps what the hooks are given; stops the fit after `stop_after` epochs."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.setups = self.teardowns = 0
        self.begun, self.ended, self.scores, self.models = [], [], [], []
        self.data = None

    def setup(self, estimator, context):
        self.setups += 1
        self.max_subtasks = context.max_subtasks

    def teardown(self, estimator, context):
        self.teardowns += 1

    def on_fit_task_begin(self, estimator, context):
        self.begun.append((context.task_name, context.task_id))

    def on_fit_task_end(
        self, estimator, context, *, X, y, metadata, fitted_estimator=None
    ):
        self.ended.append((context.task_name, context.task_id))
        self.data = X, y, metadata
        self.models.append(fitted_estimator)
        self.scores.append(fitted_estimator.score(X, y))
        epochs = sum(name == "epoch" for name, _ in self.ended)
        return self.stop_after is not None and epochs >= self.stop_after


class AfterSteps:
    """Calls `then` when so many epochs, or chunks of a stream, are done."""

    def __init__(self, count, then):
        self.count, self.then, self.done = count, then, 0

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context):
        if context.task_name in ("epoch", "chunk"):
            self.done += 1
            if self.done == self.count:
                self.then()
