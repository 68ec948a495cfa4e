/**
 * The visits after the landing is planted: they bring the main thread back,
 * remind it, and clear away.
 */
#include "attach/errand.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** Some milliseconds pass between two tries. */
#define CLEAR_TRIES 200

/** Whether the thread stands in the region. */
static bool
is_inside(const lg__plant *self, const lg__tracee *tracee)
{
    return tracee->registers.rip - self->region < LG__LANDING_CODE;
}

static void
settle(lg__errand *self)
{
    lg__tracee tracee;
    lg__landing landing;
    lg__plant *plant = self->plant;
    if (lg__errand_stop(self, &tracee) != LG_OK)
        return;
    if (!is_inside(plant, &tracee) || !lg__plant_read(plant, &landing)) {
        lg__tracee_release(&tracee);
        return;
    }
    plant->here = landing.here;
    if (plant->here)
        lg__plant_close_there(&tracee, plant->theirs);
    lg__tracee_return(&tracee, &plant->before);
    plant->away = false;
}

void
lg__plant_settle(lg__plant *self, unsigned milliseconds)
{
    lg__landing landing;
    lg_error ignored;
    lg__errand work = {.work = settle, .plant = self, .err = &ignored};
    for (unsigned i = 0; i < milliseconds * 20 && self->away; i++) {
        if (!lg__plant_read(self, &landing))
            return;
        if (!landing.handled)
            nanosleep(&(struct timespec){0, 50000}, NULL);
        else if (lg__errand_run(&work) != LG_OK)
            return;
    }
}

/** Has the handler take the GIL where it is called next. */
static bool
call_here(lg__plant *self, lg__tracee *tracee, lg_error *err)
{
    const uint32_t here = 1, handled = 0;
    uint64_t landing = lg__plant_landing(self);
    return lg__remote_write(tracee->process,
                            landing + offsetof(lg__landing, here), &here,
                            sizeof here) &&
           lg__remote_write(tracee->process,
                            landing + offsetof(lg__landing, handled), &handled,
                            sizeof handled) &&
           lg__plant_call(self, tracee, err) == LG_OK;
}

static void
remind(lg__errand *self)
{
    lg__tracee tracee;
    lg__plant *plant = self->plant;
    if (lg__errand_stop(self, &tracee) != LG_OK)
        return;
    if (lg__plant_may_call(plant, &tracee) &&
        call_here(plant, &tracee, self->err))
        plant->here = true;
    else
        lg__tracee_release(&tracee);
}

lg_status
lg__plant_remind(lg__plant *self, lg_error *err)
{
    lg__landing landing;
    lg__errand work = {.work = remind, .plant = self, .err = err};
    if (self->here || self->away || !lg__target_seems_waiting(self->target) ||
        !lg__plant_read(self, &landing) || landing.begun)
        return LG_OK;
    return lg__errand_run(&work);
}

static void
reap(lg__errand *self, lg__tracee *tracee)
{
    uint64_t place =
        lg__plant_landing(self->plant) + offsetof(lg__landing, status);
    const uint64_t words[6] = {(uint64_t)self->child, place,
                               (uint64_t)(WNOHANG | __WALL)};
    lg__landing landing;
    int64_t result = 0;
    if (lg__tracee_call(tracee, SYS_wait4, words, &result, self->err) !=
            LG_OK ||
        result == 0)
        return;
    if (result == self->child && lg__plant_read(self->plant, &landing))
        self->exit_status = landing.status;
    self->child = 0;
}

/** Does as much as it can at this stop. */
static void
clear(lg__errand *self)
{
    lg__tracee tracee;
    lg__landing landing;
    lg__plant *plant = self->plant;
    self->done = lg__errand_stop(self, &tracee) != LG_OK;
    if (self->done)
        return;
    if (self->child > 0)
        reap(self, &tracee);
    if (plant->region && !plant->away && lg__plant_read(plant, &landing) &&
        landing.left && !is_inside(plant, &tracee)) {
        if (landing.queued)
            lg__plant_leave(plant);
        else
            lg__plant_unmap(plant, &tracee);
    }
    self->done = self->child == 0 && plant->region == 0;
    lg__tracee_release(&tracee);
}

int
lg__plant_clear(lg__plant *self, int child)
{
    lg_error ignored;
    lg__errand work = {
        .work = clear, .plant = self, .child = child, .err = &ignored};
    for (int i = 0; i < CLEAR_TRIES && !work.done; i++) {
        if (lg__errand_run(&work) != LG_OK)
            break;
        if (!work.done)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    if (self->socket >= 0)
        close(self->socket);
    self->socket = -1;
    return work.exit_status;
}
