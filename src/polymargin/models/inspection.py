def describe(model, X=None, y=None, top=10):
    raise NotImplementedError
