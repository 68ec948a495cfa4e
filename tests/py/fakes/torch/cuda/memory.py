"""Imitates torch.cuda.memory, with answers that a test sets."""

#: Snapshots in the order of the calls; the last one repeats.
answers = []
#: The calls: each is a name and a device.
asked = []
backend = "native"
#: More of the flat statistics, or a function that returns them, and all of the host's.
stats = {}
host_stats = {}
#: Bytes that the driver uses beyond what PyTorch reserved.
beyond = 300 * 2**20
TOTAL = 16 * 2**30


def get_allocator_backend():
    return backend


def _snapshot(device=None):
    asked.append(("_snapshot", device))
    if not answers:
        raise RuntimeError("this backend has no snapshot")
    return answers.pop(0) if len(answers) > 1 else answers[0]


def _segments(device):
    snapshot = answers[0] if answers else []
    segments = snapshot["segments"] if isinstance(snapshot, dict) else snapshot
    return [segment for segment in segments if segment["device"] == device]


def _allocated(device):
    return sum(
        block["size"]
        for segment in _segments(device)
        for block in segment["blocks"]
        if block["state"] == "active_allocated"
    )


def _nested(flat):
    made = {}
    for path, number in flat.items():
        *folders, last = path.split(".")
        place = made
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = number
    return made


def memory_stats_as_nested_dict(device=None):
    asked.append(("memory_stats", device))
    reserved = sum(segment["total_size"] for segment in _segments(device))
    flat = {
        "allocated_bytes.all.current": _allocated(device),
        "reserved_bytes.all.current": reserved,
        **(stats() if callable(stats) else stats),
    }
    return _nested(flat)


def memory_stats(device=None):
    raise AssertionError("PyTorch's leaves garbage behind")


def host_memory_stats_as_nested_dict():
    return _nested(host_stats)


def mem_get_info(device=None):
    asked.append(("mem_get_info", device))
    reserved = sum(segment["total_size"] for segment in _segments(device))
    return (TOTAL - reserved - beyond, TOTAL)
