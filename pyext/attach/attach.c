#include "attach/attach.h"
#include "attach/call.h"
#include "attach/filter.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

lg_status
lg__attach_version(int process, bool filtered, unsigned *out, lg_error *err)
{
    lg__attach_target target;
    lg_status status = lg__attach_target_find(process, filtered, &target, err);
    if (status != LG_OK)
        return status;
    *out = target.minor;
    lg__attach_target_close(&target);
    return LG_OK;
}

/** Finds the path of the library, if the process sees the same file there: the
 *  libraries that it needs may lie beside it. */
static void
find_path(lg__call *call)
{
    char link[32], theirs[LG__PATH_BYTES + 32];
    struct stat ours, seen;
    snprintf(link, sizeof link, "/proc/self/fd/%d", call->library);
    if (readlink(link, call->path, sizeof call->path - 1) < 0)
        return;
    snprintf(theirs, sizeof theirs, "/proc/%d/root%s", call->request->process,
             call->path);
    if (fstat(call->library, &ours) != 0 || stat(theirs, &seen) != 0 ||
        ours.st_ino != seen.st_ino || ours.st_dev != seen.st_dev)
        call->path[0] = '\0';
}

/** The child's number in this process's namespace. */
static int
number_of(int process)
{
    char path[64], line[128];
    int number = -1;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file))
        sscanf(line, "Pid: %d", &number);
    fclose(file);
    return number;
}

/** Takes the exit status of the child. */
typedef struct reaper {
    lg__call *call;
    int child; /**< its number there */
} reaper;

static int
reap(void *context)
{
    reaper *self = context;
    return lg__call_reap(self->call, self->child);
}

static lg_status
await_child(lg__call *call, lg__fork_result *out, lg_error *err)
{
    const lg__attach_request *request = call->request;
    const lg__answer *answer = &call->answer;
    reaper parent = {call, answer->child};
    lg__fork fork = {.child = number_of(call->descriptors[1]),
                     .process = call->descriptors[1],
                     .reports = call->descriptors[0],
                     .seconds = request->orders.seconds,
                     .advice = "",
                     .orphaned = answer->orphaned,
                     .reap = reap,
                     .context = &parent};
    return lg__fork_wait(&fork, request->path, request->monitor, out, err);
}

/** Does what the answer asks for. */
static lg_status
follow(lg__call *call, lg__fork_result *out, double *pause, lg_error *err)
{
    const lg__answer *answer = &call->answer;
    if (answer->kind != LG__ANSWER_FORKED)
        return lg_error_set(
            err, answer->status ? (lg_status)answer->status : LG_EUNSUPPORTED,
            "process %d cannot be captured: %s", call->request->process,
            answer->text);
    *pause = answer->pause;
    lg_status status = await_child(call, out, err);
    if (status == LG_ECHILD && lg__remote_has_ended(&call->target->remote))
        return lg__outcome_explain(LG__GONE, call->request->process, 0, 0, err);
    return status;
}

lg_status
lg__attach(const lg__attach_request *request, int library, lg__fork_result *out,
           double *pause, lg_error *err)
{
    lg__attach_target target;
    lg__call call = {.request = request,
                     .target = &target,
                     .library = library,
                     .visit.socket = -1,
                     .descriptors = {-1, -1}};
    lg_status status = lg__attach_target_find(request->process,
                                              request->filtered, &target, err);
    if (status != LG_OK)
        return status;
    if (target.filtered)
        status = lg__filter_probe(&target, err);
    if (status == LG_OK) {
        find_path(&call);
        status = lg__call_make(&call, err);
    }
    if (status == LG_OK) {
        status = follow(&call, out, pause, err);
        lg__call_await_home(&call);
    }
    lg__call_end(&call);
    lg__attach_target_close(&target);
    return status;
}
