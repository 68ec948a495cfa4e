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

// Returns a folder that has the inode of another one, and not its device. The
// first files of many devices have inode 1, but not all are mounted everywhere.
static int
open_alike(int other)
{
    static const char *const paths[] = {"/sys", "/dev/pts", "/dev/shm",
                                        "/dev/mqueue"};
    struct stat wanted, known;
    REQUIRE(fstat(other, &wanted) == 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (stat(paths[i], &known) == 0 && known.st_ino == wanted.st_ino &&
            known.st_dev != wanted.st_dev)
            return open_folder(paths[i]);
    return -1;
}

static void
another_device(void)
{
    const int number = open_folder("/proc");
    const int other = open_alike(number);
    const lg__held held = lg__held_take(number);
    REQUIRE(other >= 0);
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
