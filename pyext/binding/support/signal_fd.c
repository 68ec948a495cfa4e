#include "binding/support/signal_fd.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A signal handler takes no arguments, so what it needs stands here, for a few
   signals. A descriptor stays open, because a handler may be about to write to
   it. */
typedef struct heard {
    volatile bool open;
    volatile bool ends_children; /* as if the process had no handler */
    volatile int descriptor;     /* 0: there is none */
    volatile pid_t owner;
    volatile pid_t handling; /* the thread whose handler runs */
    volatile pid_t echo;     /* the thread whose next signal is an echo */
    volatile int number;     /* 0: unused */
    struct sigaction before;
} heard;

enum { MOST = 4 };
static heard all[MOST];

static heard *
find(int number)
{
    for (size_t i = 0; i < MOST; i++)
        if (all[i].number == number)
            return &all[i];
    return NULL;
}

static void
call_before(const heard *self, int number, siginfo_t *info, void *context)
{
    if (self->before.sa_flags & SA_SIGINFO)
        self->before.sa_sigaction(number, info, context);
    else if (self->before.sa_handler != SIG_DFL &&
             self->before.sa_handler != SIG_IGN)
        self->before.sa_handler(number);
}

/* A handler may call the previous one by raising the signal again. If that
   handler was the previous one itself, this must not repeat for ever. */
static bool
is_pending(int number)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

/* While the handler runs the signal waits, and then ends the process. */
static bool
end_by(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    return sigaction(number, &action, NULL) == 0 && kill(getpid(), number) == 0;
}

static void
handle_signal(int number, siginfo_t *info, void *context)
{
    const uint64_t once = 1;
    int code = errno;
    heard *self = find(number);
    pid_t thread = (pid_t)syscall(SYS_gettid);
    pid_t outer = self->handling;
    bool is_echo =
        outer == thread || (self->echo == thread && info->si_code == SI_TKILL);
    if (self->echo == thread)
        self->echo = 0;
    if (is_echo)
        return;
    if (self->ends_children && getpid() != self->owner) {
        end_by(number);
        return;
    }
    self->handling = thread;
    /* A write fails after 2^64 signals that nobody read. */
    if (self->open && getpid() == self->owner &&
        write(self->descriptor, &once, sizeof once) < 0)
        errno = code;
    bool was_pending = is_pending(number);
    call_before(self, number, info, context);
    if (!was_pending && is_pending(number))
        self->echo = thread;
    self->handling = outer;
    errno = code;
}

/* Refuses signals that report a fault: they come back as soon as their handler
   returns. */
static bool
can_be_taken(long number)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (number == faults[i])
            return false;
    return number > 0 && number < NSIG;
}

static bool
make_descriptor(heard *self)
{
    if (self->descriptor > 0 && self->owner == getpid())
        return true;
    self->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    self->owner = getpid();
    return self->descriptor > 0;
}

static bool
take_signal(heard *self)
{
    struct sigaction action = {.sa_sigaction = handle_signal};
    if (sigaction(self->number, NULL, &self->before) != 0)
        return false;
    bool alone = self->before.sa_handler == SIG_DFL ||
                 self->before.sa_handler == SIG_IGN;
    /* Interrupts system calls if the previous handler did. */
    int restart = alone ? SA_RESTART : self->before.sa_flags & SA_RESTART;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | restart;
    return sigaction(self->number, &action, NULL) == 0;
}

static bool
is_installed(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == handle_signal;
}

/* The signal as an int, or 0 with an exception. */
static int
signal_of(PyObject *module, PyObject *argument)
{
    long number = PyLong_AsLong(argument);
    if (number == -1 && PyErr_Occurred())
        return 0;
    if (!can_be_taken(number)) {
        PyErr_Format(lg__module_state(module)->errors[LG__ERROR_ARGUMENT],
                     "Signal %ld cannot be used for snapshots.", number);
        return 0;
    }
    return (int)number;
}

/* Where to note the signal, or NULL: it is watched already, or there is no
   room. */
static heard *
room_for(int number)
{
    heard *known = find(number);
    if (known == NULL)
        known = find(0);
    bool taken = known != NULL && known->open && known->owner == getpid();
    return taken ? NULL : known;
}

const char lg__core_open_signal_fd_doc[] =
    "_open_signal_fd($module, signal, ends_children, /)\n--\n\n"
    "Make a descriptor that becomes readable at a signal.";

PyObject *
lg__core_open_signal_fd(PyObject *module, PyObject *arguments)
{
    PyObject *given;
    int ends_children;
    if (!PyArg_ParseTuple(arguments, "Op", &given, &ends_children))
        return NULL;
    int number = signal_of(module, given);
    heard *self = number != 0 ? room_for(number) : NULL;
    if (number == 0)
        return NULL;
    if (self == NULL) {
        PyErr_SetString(
            PyExc_RuntimeError,
            "That signal is watched already; call _close_signal_fd() first.");
        return NULL;
    }
    if (!make_descriptor(self))
        return PyErr_SetFromErrno(PyExc_OSError);
    self->ends_children = ends_children != 0;
    self->number = number;
    self->open = true;
    if (take_signal(self))
        return PyLong_FromLong(self->descriptor);
    self->open = false;
    return PyErr_SetFromErrno(PyExc_OSError);
}

const char lg__core_close_signal_fd_doc[] =
    "_close_signal_fd($module, signal, /)\n--\n\n"
    "Restore the action of the signal, unless somebody else has replaced it.";

PyObject *
lg__core_close_signal_fd(PyObject *module, PyObject *argument)
{
    int number = signal_of(module, argument);
    heard *self = number != 0 ? find(number) : NULL;
    if (number == 0)
        return NULL;
    if (self != NULL && self->open && is_installed(number))
        sigaction(number, &self->before, NULL);
    if (self != NULL)
        self->open = false;
    Py_RETURN_NONE;
}

const char lg__core_hears_signal_doc[] =
    "_hears_signal($module, signal, /)\n--\n\n"
    "Whether the signal's handler is still that of _open_signal_fd().";

PyObject *
lg__core_hears_signal(PyObject *module, PyObject *argument)
{
    int number = signal_of(module, argument);
    heard *self = number != 0 ? find(number) : NULL;
    if (number == 0)
        return NULL;
    return PyBool_FromLong(self != NULL && self->open && is_installed(number));
}

const char lg__core_die_by_signal_doc[] =
    "_die_by_signal($module, signal, /)\n--\n\n"
    "End this process as the signal does by default.";

PyObject *
lg__core_die_by_signal(PyObject *module, PyObject *argument)
{
    int number = signal_of(module, argument);
    if (number == 0)
        return NULL;
    if (!end_by(number))
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}
