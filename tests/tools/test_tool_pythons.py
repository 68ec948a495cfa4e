import sys

import pythons


def test_this_interpreter_is_probed():
    version, path = pythons.probe(sys.executable)
    assert version == sys.version_info[:2]
    assert path


def test_what_does_not_run_is_no_interpreter(tmp_path):
    broken = tmp_path / "python3.12"
    broken.write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
    broken.chmod(0o755)
    assert pythons.probe(broken) is None
    assert pythons.probe(tmp_path / "missing") is None


def test_this_version_is_not_built_again():
    assert sys.version_info[:2] not in pythons.interpreters()
