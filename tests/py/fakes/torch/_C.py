#: Devices that this process has a context on.
contexts = set()


def _cuda_hasPrimaryContext(device):
    return device in contexts
