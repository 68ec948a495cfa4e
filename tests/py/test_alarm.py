"""Memory decides when to take a snapshot, one look at a time."""

import pytest

from leakgraph.alarm import Alarm

GIB = 1 << 30


@pytest.fixture
def looks():
    """Look at an alarm that has 100 GiB and is set to 90, an hour apart."""
    alarm = Alarm(100 * GIB, 90 * GIB)
    now = [0.0]

    def look(gib, seconds=3600.0):
        now[0] += seconds
        return alarm.look(now[0], int(gib * GIB))

    look.alarm = alarm
    return look


def test_at_the_threshold_and_once(looks):
    heard = [gib for gib in range(10, 100) if looks(gib)]
    assert heard == [90]


def test_again_after_it_fell(looks):
    assert looks(90)
    assert not looks(86) and not looks(91)
    assert not looks(85)
    assert looks(95)
    assert not looks(80)
    assert looks(90)


def test_a_little_down_and_up_is_the_same(looks):
    assert looks(95)
    for gib in (91, 89, 92, 90.5, 95, 99):
        assert not looks(gib)


def test_the_limit_is_below_the_threshold(looks):
    alarm = Alarm(100 * GIB, 150 * GIB)
    assert not alarm.look(0, 99 * GIB)
    assert alarm.look(1, 100 * GIB)


def test_fast_growth_is_heard_early():
    """At 100 GiB a second, looks 0.05 s apart are 5 GiB apart."""
    alarm = Alarm(100 * GIB, 99 * GIB)
    assert not alarm.look(0.0, 50 * GIB)
    assert not alarm.look(0.2, 70 * GIB)
    assert not alarm.look(0.3, 80 * GIB)
    assert not alarm.look(0.39, 89 * GIB)
    assert alarm.look(0.41, 91 * GIB)


def test_looks_come_closer(looks):
    assert looks.alarm.pause(0) == 0.25
    looks(10, seconds=1)
    looks(11, seconds=1)
    assert looks.alarm.pause(11 * GIB) == 0.25
    looks(89, seconds=1)
    assert looks.alarm.pause(89 * GIB) == 0.05
    looks(95, seconds=1)
    assert looks.alarm.pause(95 * GIB) == 0.05


def test_growth_is_forgotten(looks):
    looks(10, seconds=1)
    looks(80, seconds=0.25)
    for _ in range(20):
        looks(80, seconds=0.25)
    assert not looks(89.9, seconds=3600)


def test_what_is_urgent(looks):
    """Twenty seconds of growth if memory is short; else what a snapshot lasts."""
    looks(50, seconds=1)
    looks(50.4, seconds=1)
    short = 60 * GIB
    assert not looks.alarm.is_urgent(int(91.9 * GIB), short)
    assert looks.alarm.is_urgent(int(92.1 * GIB), short)
    assert not looks.alarm.is_urgent(int(99.5 * GIB))
    assert looks.alarm.is_urgent(int(99.7 * GIB))


def test_a_small_limit_leaves_room_for_the_snapshot():
    """It needs 50 MiB, and lasts two seconds, in which memory grows by 16 MiB.

    In the half second of two looks, memory grows by 4 MiB.
    """
    mib = 1 << 20

    def first(need):
        alarm = Alarm(300 * mib, 270 * mib)
        return next(u for u in range(300) if alarm.look(u / 8, u * mib, need * mib))

    assert first(50) == 300 - 50 - 16 - 4
    assert first(1) == 270
    assert first(500) == 150


def test_a_snapshot_that_must_fit_is_saved_while_it_does():
    """Tiny objects: it needs four times what they take, and a second of growth."""
    mib = 1 << 20

    def first(**options):
        alarm = Alarm(1000 * mib, 900 * mib, **options)
        used = (8 * second for second in range(1000))
        return next(u for u in used if alarm.look(u, u * mib, 4 * u * mib))

    assert first() == 504
    assert first(must_fit=True) == 200


@pytest.mark.parametrize("pause", [0.1, 0.25])
def test_steady_growth_stops_nobody(pause):
    """The first look at which a snapshot is due is not urgent yet."""
    mib = 1 << 20
    for per_second in (1, 25, 40):
        alarm = Alarm(300 * mib, 270 * mib)
        looks = (n * pause for n in range(10_000))
        used = next(
            int(per_second * now * mib)
            for now in looks
            if alarm.look(now, int(per_second * now * mib), 50 * mib)
        )
        assert not alarm.is_urgent(used, 50 * mib)


def test_one_snapshot_though_the_room_varies():
    mib = 1 << 20
    alarm = Alarm(300 * mib, 270 * mib)
    assert not alarm.look(0, 200 * mib, 50 * mib)
    assert alarm.look(3600, 200 * mib, 100 * mib)
    assert not alarm.look(7200, 280 * mib, 0)
    assert not alarm.look(9000, 189 * mib, 0) and alarm.look(9999, 270 * mib, 0)


def test_a_big_limit_is_used_up_to_the_threshold(looks):
    assert not looks.alarm.look(0, 89 * GIB, 20 * GIB)
    assert looks.alarm.look(3600, 90 * GIB, 20 * GIB)
