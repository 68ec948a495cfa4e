#include "binding/support/signal_fd.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A signal handler can be given nothing: the one bell of the process. Its
 * descriptor stays open once made, for a handler may be about to write to it.
 */
static struct {
    volatile bool hung;
    volatile int descriptor;
    volatile pid_t owner;
    volatile pid_t ringing; /* the thread whose handler runs */
    volatile pid_t echo;    /* the thread in which the next ring is none */
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

/* A handler may call the one that was there before it by raising the signal
 * again: that must not go round for ever where it was there before this one. */
static bool
is_pending(int number)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

static void
picture(int number, siginfo_t *info, void *context)
{
    const uint64_t once = 1;
    int code = errno;
    pid_t self = (pid_t)syscall(SYS_gettid);
    pid_t outer = signal_fd.ringing;
    bool is_echo =
        outer == self || (signal_fd.echo == self && info->si_code == SI_TKILL);
    if (signal_fd.echo == self)
        signal_fd.echo = 0;
    if (is_echo)
        return;
    signal_fd.ringing = self;
    /* A write fails when it was rung 2^64 times and not heard. */
    if (signal_fd.hung && getpid() == signal_fd.owner &&
        write(signal_fd.descriptor, &once, sizeof once) < 0)
        errno = code;
    bool was_pending = is_pending(number);
    call_before(number, info, context);
    if (!was_pending && is_pending(number))
        signal_fd.echo = self;
    signal_fd.ringing = outer;
    errno = code;
}

/* Not those that report a fault, which come back as soon as they are handled.
 */
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
    struct sigaction action = {.sa_sigaction = picture};
    if (sigaction(number, NULL, &signal_fd.before) != 0)
        return false;
    bool alone = signal_fd.before.sa_handler == SIG_DFL ||
                 signal_fd.before.sa_handler == SIG_IGN;
    /* A handler that has system calls interrupted goes on to have them so. */
    int restart = alone ? SA_RESTART : signal_fd.before.sa_flags & SA_RESTART;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | restart;
    return sigaction(number, &action, NULL) == 0;
}

const char core_open_signal_fd_doc[] =
    "_open_signal_fd($module, signal, /)\n--\n\n"
    "Have a signal ring a bell: a descriptor that becomes readable.";

PyObject *
core_open_signal_fd(PyObject *module, PyObject *argument)
{
    long number = PyLong_AsLong(argument);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    if (signal_fd.hung && signal_fd.owner == getpid()) {
        PyErr_SetString(PyExc_RuntimeError, "The bell hangs already.");
        return NULL;
    }
    if (!can_be_taken(number))
        return PyErr_Format(module_state(module)->errors[ERROR_ARGUMENT],
                            "Signal %ld cannot be used for snapshots.", number);
    if (!make_descriptor())
        return PyErr_SetFromErrno(PyExc_OSError);
    signal_fd.number = (int)number;
    signal_fd.hung = true;
    if (take_signal(signal_fd.number))
        return PyLong_FromLong(signal_fd.descriptor);
    signal_fd.hung = false;
    return PyErr_SetFromErrno(PyExc_OSError);
}

const char core_close_signal_fd_doc[] =
    "_close_signal_fd($module, /)\n--\n\n"
    "Give the signal back, unless somebody else has it now.";

PyObject *
core_close_signal_fd(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    struct sigaction now;
    if (signal_fd.hung && sigaction(signal_fd.number, NULL, &now) == 0 &&
        (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == picture)
        sigaction(signal_fd.number, &signal_fd.before, NULL);
    signal_fd.hung = false;
    Py_RETURN_NONE;
}
