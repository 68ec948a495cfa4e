_initialized = False
_forked = False


def _is_in_bad_fork():
    return _forked


def device_count():
    return 4


from torch.cuda import memory  # noqa: E402

__all__ = ["device_count", "memory"]
