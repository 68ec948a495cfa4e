"""A snapshot runs no code of the user's, whatever their subclasses override."""

import pytest


@pytest.mark.parametrize("library", ["builtin", "numpy"])
def test_overridden(isolated, library):
    done = isolated("overridden.py", library)
    assert done.code == 0 and done.out == "right\n", done.err


@pytest.mark.libraries
@pytest.mark.parametrize(
    "library", ["pandas", "pyarrow", "pillow", "matplotlib", "torch"]
)
def test_overridden_of_libraries(warm, library):
    module = {"pillow": "PIL.Image", "matplotlib": "matplotlib.pyplot"}
    done = warm(module.get(library, library)).isolated("overridden.py", library)
    assert done.code == 0 and done.out == "right\n", done.err


@pytest.mark.libraries
def test_overridden_of_jax(isolated):
    flags = "--xla_force_host_platform_device_count=2"
    done = isolated("overridden.py", "jax", XLA_FLAGS=flags, JAX_PLATFORMS="cpu")
    assert done.code == 0 and done.out == "right\n", done.err
