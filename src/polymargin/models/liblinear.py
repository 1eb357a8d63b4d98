def export_liblinear(model, path) -> None:
    raise NotImplementedError


def import_liblinear(path):
    raise NotImplementedError
