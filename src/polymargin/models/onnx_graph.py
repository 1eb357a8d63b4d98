def export_onnx(model, path=None):
    raise NotImplementedError
