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
is_inside(const lg_plant *self, const lg_tracee *tracee)
{
    return tracee->registers.rip - self->region < LG_LANDING_CODE;
}

static void
settle(lg_errand *self)
{
    lg_tracee tracee;
    lg_landing landing;
    lg_plant *plant = self->plant;
    if (lg_errand_stop(self, &tracee) != LG_OK)
        return;
    if (!is_inside(plant, &tracee) || !lg_plant_read(plant, &landing)) {
        lg_tracee_release(&tracee);
        return;
    }
    plant->here = landing.here;
    if (plant->here)
        lg_plant_close_there(&tracee, plant->theirs);
    lg_tracee_return(&tracee, &plant->before);
    plant->away = false;
}

void
lg_plant_settle(lg_plant *self, unsigned milliseconds)
{
    lg_landing landing;
    lg_error ignored;
    lg_errand work = {.work = settle, .plant = self, .err = &ignored};
    for (unsigned i = 0; i < milliseconds * 20 && self->away; i++) {
        if (!lg_plant_read(self, &landing))
            return;
        if (!landing.handled)
            nanosleep(&(struct timespec){0, 50000}, NULL);
        else if (lg_errand_run(&work) != LG_OK)
            return;
    }
}

/** Has the handler take the GIL where it is called next. */
static bool
call_here(lg_plant *self, lg_tracee *tracee, lg_error *err)
{
    const uint32_t here = 1, handled = 0;
    uint64_t landing = lg_plant_landing(self);
    return lg_remote_write(tracee->process,
                           landing + offsetof(lg_landing, here), &here,
                           sizeof here) &&
           lg_remote_write(tracee->process,
                           landing + offsetof(lg_landing, handled), &handled,
                           sizeof handled) &&
           lg_plant_call(self, tracee, err) == LG_OK;
}

static void
remind(lg_errand *self)
{
    lg_tracee tracee;
    lg_plant *plant = self->plant;
    if (lg_errand_stop(self, &tracee) != LG_OK)
        return;
    if (lg_plant_may_call(plant, &tracee) &&
        call_here(plant, &tracee, self->err))
        plant->here = true;
    else
        lg_tracee_release(&tracee);
}

lg_status
lg_plant_remind(lg_plant *self, lg_error *err)
{
    lg_landing landing;
    lg_errand work = {.work = remind, .plant = self, .err = err};
    if (self->here || self->away || !lg_target_seems_waiting(self->target) ||
        !lg_plant_read(self, &landing) || landing.begun)
        return LG_OK;
    return lg_errand_run(&work);
}

static void
reap(lg_errand *self, lg_tracee *tracee)
{
    uint64_t place =
        lg_plant_landing(self->plant) + offsetof(lg_landing, status);
    const uint64_t words[6] = {(uint64_t)self->child, place,
                               (uint64_t)(WNOHANG | __WALL)};
    lg_landing landing;
    int64_t result = 0;
    if (lg_tracee_call(tracee, SYS_wait4, words, &result, self->err) != LG_OK ||
        result == 0)
        return;
    if (result == self->child && lg_plant_read(self->plant, &landing))
        self->exit_status = landing.status;
    self->child = 0;
}

/** Does as much as it can at this stop. */
static void
clear(lg_errand *self)
{
    lg_tracee tracee;
    lg_landing landing;
    lg_plant *plant = self->plant;
    self->done = lg_errand_stop(self, &tracee) != LG_OK;
    if (self->done)
        return;
    if (self->child > 0)
        reap(self, &tracee);
    if (plant->region && !plant->away && lg_plant_read(plant, &landing) &&
        landing.left && !is_inside(plant, &tracee)) {
        if (landing.queued)
            lg_plant_leave(plant);
        else
            lg_plant_unmap(plant, &tracee);
    }
    self->done = self->child == 0 && plant->region == 0;
    lg_tracee_release(&tracee);
}

int
lg_plant_clear(lg_plant *self, int child)
{
    lg_error ignored;
    lg_errand work = {
        .work = clear, .plant = self, .child = child, .err = &ignored};
    for (int i = 0; i < CLEAR_TRIES && !work.done; i++) {
        if (lg_errand_run(&work) != LG_OK)
            break;
        if (!work.done)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    if (self->socket >= 0)
        close(self->socket);
    self->socket = -1;
    return work.exit_status;
}
