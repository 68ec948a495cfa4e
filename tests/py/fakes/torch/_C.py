#: Devices on which this process has a context.
contexts = set()


def _cuda_hasPrimaryContext(device):
    return device in contexts
