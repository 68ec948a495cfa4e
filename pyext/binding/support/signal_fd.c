#include "binding/support/signal_fd.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A signal handler takes no arguments, so the process has one watch. Its
   descriptor stays open, because a handler may be about to write to it. */
static struct {
    volatile bool open;
    volatile int descriptor;
    volatile pid_t owner;
    volatile pid_t handling; /* the thread whose handler runs */
    volatile pid_t echo;     /* the thread whose next signal is an echo */
    int number;
    struct sigaction before;
} signal_fd = {.descriptor = -1};

static void
call_before(int number, siginfo_t *info, void *context)
{
    if (signal_fd.before.sa_flags & SA_SIGINFO)
        signal_fd.before.sa_sigaction(number, info, context);
    else if (signal_fd.before.sa_handler != SIG_DFL &&
             signal_fd.before.sa_handler != SIG_IGN)
        signal_fd.before.sa_handler(number);
}

/* A handler may call the previous one by raising the signal again. If that
   handler was the previous one itself, this must not repeat for ever. */
static bool
is_pending(int number)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

static void
handle_signal(int number, siginfo_t *info, void *context)
{
    const uint64_t once = 1;
    int code = errno;
    pid_t self = (pid_t)syscall(SYS_gettid);
    pid_t outer = signal_fd.handling;
    bool is_echo =
        outer == self || (signal_fd.echo == self && info->si_code == SI_TKILL);
    if (signal_fd.echo == self)
        signal_fd.echo = 0;
    if (is_echo)
        return;
    signal_fd.handling = self;
    /* A write fails after 2^64 signals that nobody read. */
    if (signal_fd.open && getpid() == signal_fd.owner &&
        write(signal_fd.descriptor, &once, sizeof once) < 0)
        errno = code;
    bool was_pending = is_pending(number);
    call_before(number, info, context);
    if (!was_pending && is_pending(number))
        signal_fd.echo = self;
    signal_fd.handling = outer;
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
make_descriptor(void)
{
    if (signal_fd.descriptor >= 0 && signal_fd.owner == getpid())
        return true;
    signal_fd.descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    signal_fd.owner = getpid();
    return signal_fd.descriptor >= 0;
}

static bool
take_signal(int number)
{
    struct sigaction action = {.sa_sigaction = handle_signal};
    if (sigaction(number, NULL, &signal_fd.before) != 0)
        return false;
    bool alone = signal_fd.before.sa_handler == SIG_DFL ||
                 signal_fd.before.sa_handler == SIG_IGN;
    /* Interrupts system calls if the previous handler did. */
    int restart = alone ? SA_RESTART : signal_fd.before.sa_flags & SA_RESTART;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | restart;
    return sigaction(number, &action, NULL) == 0;
}

static bool
is_installed(void)
{
    struct sigaction now;
    return sigaction(signal_fd.number, NULL, &now) == 0 &&
           (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle_signal;
}

const char lg__core_open_signal_fd_doc[] =
    "_open_signal_fd($module, signal, /)\n--\n\n"
    "Make a descriptor that becomes readable at a signal.";

PyObject *
lg__core_open_signal_fd(PyObject *module, PyObject *argument)
{
    long number = PyLong_AsLong(argument);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    if (signal_fd.open && signal_fd.owner == getpid()) {
        PyErr_SetString(
            PyExc_RuntimeError,
            "A signal is watched already; call _close_signal_fd() first.");
        return NULL;
    }
    if (!can_be_taken(number))
        return PyErr_Format(
            lg__module_state(module)->errors[LG__ERROR_ARGUMENT],
            "Signal %ld cannot be used for snapshots.", number);
    if (!make_descriptor())
        return PyErr_SetFromErrno(PyExc_OSError);
    signal_fd.number = (int)number;
    signal_fd.open = true;
    if (take_signal(signal_fd.number))
        return PyLong_FromLong(signal_fd.descriptor);
    signal_fd.open = false;
    return PyErr_SetFromErrno(PyExc_OSError);
}

const char lg__core_close_signal_fd_doc[] =
    "_close_signal_fd($module, /)\n--\n\n"
    "Restore the action of the signal, unless somebody else has replaced it.";

PyObject *
lg__core_close_signal_fd(PyObject *Py_UNUSED(module),
                         PyObject *Py_UNUSED(unused))
{
    if (signal_fd.open && is_installed())
        sigaction(signal_fd.number, &signal_fd.before, NULL);
    signal_fd.open = false;
    Py_RETURN_NONE;
}

const char lg__core_hears_signal_doc[] =
    "_hears_signal($module, /)\n--\n\n"
    "Whether the signal's handler is still that of _open_signal_fd().";

PyObject *
lg__core_hears_signal(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyBool_FromLong(signal_fd.open && is_installed());
}
