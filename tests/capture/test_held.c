// Files by their numbers and by what they are.
#include "test.h"

#include "capture/run/held.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int
open_folder(const char *path)
{
    const int number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(number >= 0);
    return number;
}

static bool
is_open(int number)
{
    return fcntl(number, F_GETFD) >= 0;
}

// The same file has the same identity, whatever its number is.
static void
the_same_file(void)
{
    const int number = open_folder("/proc");
    const int again = open_folder("/proc");
    const lg__held held = lg__held_take(number);
    CHECK(lg__held_is_there(&held));
    CHECK(held.identity == lg__held_take(again).identity);
    close(again);
    lg__held_close(&held);
    CHECK(!is_open(number));
    CHECK(!lg__held_is_there(&held));
    CHECK(!lg__held_is_there(&(lg__held){.number = number}));
}

// The first files of two devices have one inode.
static void
another_device(void)
{
    struct stat known[2];
    const int number = open_folder("/proc");
    const int other = open_folder("/sys");
    const lg__held held = lg__held_take(number);
    REQUIRE(fstat(number, &known[0]) == 0 && fstat(other, &known[1]) == 0);
    CHECK(known[0].st_ino == known[1].st_ino);
    REQUIRE(dup2(other, number) == number);
    CHECK(!lg__held_is_there(&held));
    lg__held_close(&held);
    CHECK(is_open(number));
    close(number);
    close(other);
}

SUITE(held)
{
    RUN(the_same_file);
    RUN(another_device);
    return test_result();
}
