// Two pieces of work in two threads.
#include "base/base_private.h"
#include "test.h"

// A piece of work that ends with a status, and notes that it was done.
typedef struct task {
    lg_status status;
    const char *message;
    bool done;
} task;

static lg_status
work(void *context, lg_error *err)
{
    task *self = context;
    self->done = true;
    return self->status == LG_OK
               ? LG_OK
               : lg_error_set(err, self->status, "%s", self->message);
}

// Runs both. Returns the status, and checks the message.
static lg_status
run_both(task *first, task *second, bool at_once, const char *message)
{
    lg_error err = {0};
    lg_status status = lg__run_parallel(
        &(lg__work){work, first}, &(lg__work){work, second}, at_once, &err);
    CHECK(first->done);
    CHECK(strcmp(err.message, message) == 0);
    return status;
}

static void
both_are_done(void)
{
    for (int at_once = 0; at_once < 2; at_once++) {
        task first = {.status = LG_OK};
        task second = {.status = LG_OK};
        CHECK(run_both(&first, &second, at_once, "") == LG_OK);
        CHECK(second.done);
    }
}

static void
the_failure_of_the_first_is_told(void)
{
    for (int at_once = 0; at_once < 2; at_once++) {
        task first = {.status = LG_ELIMIT, .message = "first"};
        task second = {.status = LG_EFORMAT, .message = "second"};
        CHECK(run_both(&first, &second, at_once, "first") == LG_ELIMIT);
    }
}

static void
else_that_of_the_second_is_told(void)
{
    for (int at_once = 0; at_once < 2; at_once++) {
        task first = {.status = LG_OK};
        task second = {.status = LG_EFORMAT, .message = "second"};
        CHECK(run_both(&first, &second, at_once, "second") == LG_EFORMAT);
    }
}

SUITE(helper)
{
    RUN(both_are_done);
    RUN(the_failure_of_the_first_is_told);
    RUN(else_that_of_the_second_is_told);
    return test_result();
}
