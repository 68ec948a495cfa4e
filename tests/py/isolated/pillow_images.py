"""Tests images of Pillow: python ... CASE.

test_pillow_images.py runs this script; malloc serves every byte.
"""

import gc
import sys
from pathlib import Path

from PIL import Image, ImageSequence

import leakgraph

sys.path.insert(0, str(Path(__file__).parents[1]))

from malloced import in_use
from shapes import Thing


def core_of(image):
    return next(c for c in vars(image).values() if "ImagingCore" in str(type(c)))


def pixels_of(image, snapshot=None):
    """Return the pieces of memory that an image has of its own."""
    node = (snapshot or leakgraph.snapshot()).find(core_of(image))
    return [edge.node for edge in node.referents() if edge.node.buffer]


def promised_and_freed(holder, name):
    """Return what an attribute retains, and what malloc gets back from its deletion."""
    leakgraph.snapshot().close()
    gc.collect()
    promised = leakgraph.why(getattr(holder, name)).retained.host
    gc.collect()
    before = in_use()
    delattr(holder, name)
    gc.collect()
    return promised, before - in_use()


def check_freed(it, part=0.01):
    """Compare the two for an image that only a Thing holds."""
    promised, freed = promised_and_freed(it, "image")
    assert abs(promised - freed) <= part * freed + 64, (promised, freed)
    return promised


def modes():
    """A pixel takes four bytes for colours, and one for grey and for bits."""
    for mode, pixel in {
        **dict.fromkeys(("L", "1", "P"), 1),
        **dict.fromkeys(("RGB", "RGBA", "CMYK", "I", "F", "LA", "YCbCr"), 4),
        "I;16": 2,
    }.items():
        image = Image.new(mode, (1200, 900))
        whole = check_freed(Thing(image=image.copy()))
        (memory,) = pixels_of(image)
        assert 0 <= memory.size - 1200 * 900 * pixel < 8192, (mode, memory.size)
        assert whole > memory.size and memory.text == "1200x900"


def several_pieces():
    """Pillow keeps large images in pieces of 16 MB."""
    it = Thing(image=Image.new("RGB", (5000, 4000)))
    memory = pixels_of(it.image)
    assert len(memory) > 3 and all(node.text == "5000x4000" for node in memory)
    assert sum(node.size for node in memory) >= 5000 * 4000 * 4
    del memory
    assert check_freed(it) >= 5000 * 4000 * 4


def small():
    """Most bytes are the structures around the pixels.

    The rest is what malloc adds to a Python object.
    """
    for mode, side in (("RGB", 20), ("P", 5), ("L", 0)):
        made = [Image.core.new(mode, (side, side)) for _ in range(500)]
        it = Thing(image=made)
        del made
        check_freed(it, 0.1)


def crops():
    """A crop is a copy, and keeps nothing of its original."""
    it = Thing(image=Image.new("RGB", (2000, 1000)))
    it.crop = it.image.crop((10, 10, 110, 60))
    (memory,) = pixels_of(it.crop)
    assert 100 * 50 * 4 <= memory.size < 100 * 50 * 4 + 8192
    assert memory not in pixels_of(it.image)


def files():
    """An opened file has no pixels before the program needs them."""
    Image.new("RGB", (600, 400)).save("it.png")
    it = Thing(image=Image.open("it.png"))
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.image)
    assert node.label == "PngImageFile RGB 600x400, not loaded"
    assert node.facts == {"mode": "RGB", "size": "600x400"}
    assert node.retained < 50_000
    it.image.load()
    snapshot = leakgraph.snapshot()
    assert snapshot.find(it.image).label == "PngImageFile RGB 600x400"
    assert sum(n.size for n in pixels_of(it.image)) >= 600 * 400 * 4
    check_freed(it)


def frames():
    """Each kept frame of an animation has pixels of its own."""
    first = Image.new("L", (300, 300))
    others = [Image.new("L", (300, 300), shade) for shade in (50, 100, 150)]
    first.save("it.gif", save_all=True, append_images=others)
    with Image.open("it.gif") as file:
        it = Thing(frames=[frame.copy() for frame in ImageSequence.Iterator(file)])
    snapshot = leakgraph.snapshot()
    assert len({n for f in it.frames for n in pixels_of(f, snapshot)}) == 4


def lent():
    """Pixels in a bytes object belong to that object, and count once."""
    it = Thing(data=bytes(700 * 500))
    it.image = Image.frombuffer("L", (700, 500), it.data, "raw", "L", 0, 1)
    it.turned = Image.frombuffer("L", (700, 500), it.data, "raw", "L", 0, -1)
    snapshot = leakgraph.snapshot()
    assert pixels_of(it.image, snapshot) == [] == pixels_of(it.turned, snapshot)
    core = snapshot.select("type:*ImagingCore")[0]
    targets = {e.label: e.node for e in core.referents()}
    assert targets[".target"].address == id(it.data)
    assert core.unexplained == 0 == targets[".target"].unexplained
    assert 700 * 500 < snapshot.find(it).retained < 700 * 500 + 30_000
    del it.data, it.turned, snapshot, core, targets
    assert check_freed(it) > 700 * 500


def arrays():
    """numpy's array and the image of its memory count once, in both directions."""
    import numpy

    it = Thing(array=numpy.zeros((400, 600), numpy.uint8))
    it.image = Image.frombuffer("L", (600, 400), it.array, "raw", "L", 0, 1)
    snapshot = leakgraph.snapshot()
    assert pixels_of(it.image, snapshot) == []
    assert 240_000 < snapshot.find(it).retained < 270_000
    del it.array, snapshot
    assert check_freed(it) > 240_000


def mapped():
    """A mapped file does not count as memory of the image."""
    Image.new("L", (640, 640)).save("it.bmp")
    Path("it.pgm").write_bytes(b"P5\n640 640\n255\n" + bytes(640 * 640))
    it = Thing(image=Image.open("it.pgm"))
    it.image.load()
    snapshot = leakgraph.snapshot()
    (node,) = [n for n in snapshot.nodes if n.type_name == "mmap.memory"]
    assert node.size >= 640 * 640
    assert snapshot.memory().host["mapped"] >= 640 * 640
    assert "PIL.memory" not in {n.type_name for n in snapshot.nodes}


def names():
    it = Thing(image=Image.new("RGB", (640, 480)))
    snapshot = leakgraph.snapshot()
    node = snapshot.find(it.image)
    assert node.label == "Image RGB 640x480" and node.retained >= 640 * 480 * 4
    version = __import__("PIL").__version__
    assert snapshot.info()["adapter.pillow"] == f"inspected: {version}"
    (memory,) = pixels_of(it.image, snapshot)
    assert memory.type_name == "PIL.memory"
    edge = memory.referrers()[0]
    assert "pixels" in edge.label
    leakgraph.save_snapshot("it.lgs", fork=True)
    read = leakgraph.load("it.lgs")
    (again,) = [n for n in read.nodes if n.type_name == "PIL.memory"]
    assert again.size == memory.size


def partial():
    """The image's size includes what lies beyond a partial snapshot."""
    it = Thing(image=Image.new("RGB", (640, 480)))
    core = core_of(it.image)
    snapshot = leakgraph.snapshot(roots=[[[core]]], max_depth=2)
    assert snapshot.find(core).frontier and snapshot.find(core).size >= 640 * 480 * 4


def strange():
    """leakgraph does not guess if a library lays images out differently."""
    import PIL

    it = Thing(image=Image.new("RGB", (640, 480)))
    real = Image.core.new
    for other in (
        lambda mode, size: object(),
        lambda mode, size: real("L", (1, 1)),
        lambda mode, size: real("RGB", size),
        lambda mode, size: real("L", size[::-1]),
    ):
        Image.core.new = other
        snapshot = leakgraph.snapshot()
        inspected = snapshot.info()["adapter.pillow"]
        assert inspected.startswith(f"not inspected: Pillow {PIL.__version__}: "), (
            inspected
        )
        assert inspected in str(snapshot.memory()).replace("\n", " ")
        assert snapshot.find(it.image).retained < 10_000
    Image.core.new = real
    assert leakgraph.snapshot().find(it.image).retained >= 640 * 480 * 4


def undisturbed():
    """A capture loads, keeps and makes nothing."""
    Image.new("RGB", (60, 40)).save("it.png")
    it = Thing(image=Image.open("it.png"), other=Image.new("L", (9, 9)))
    before = {name: dict(vars(image)) for name, image in vars(it).items()}
    leakgraph.snapshot().close()
    assert {name: dict(vars(image)) for name, image in vars(it).items()} == before


if __name__ == "__main__":
    gc.freeze()  # collections leave out what was imported
    globals()[sys.argv[1]]()
    print("right")
