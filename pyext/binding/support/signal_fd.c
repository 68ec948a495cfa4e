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
} bell = {.descriptor = -1};

static void
call_before(int number, siginfo_t *info, void *context)
{
    if (bell.before.sa_flags & SA_SIGINFO)
        bell.before.sa_sigaction(number, info, context);
    else if (bell.before.sa_handler != SIG_DFL &&
             bell.before.sa_handler != SIG_IGN)
        bell.before.sa_handler(number);
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
ring(int number, siginfo_t *info, void *context)
{
    const uint64_t once = 1;
    int code = errno;
    pid_t self = (pid_t)syscall(SYS_gettid);
    pid_t outer = bell.ringing;
    bool is_echo =
        outer == self || (bell.echo == self && info->si_code == SI_TKILL);
    if (bell.echo == self)
        bell.echo = 0;
    if (is_echo)
        return;
    bell.ringing = self;
    /* A write fails when it was rung 2^64 times and not heard. */
    if (bell.hung && getpid() == bell.owner &&
        write(bell.descriptor, &once, sizeof once) < 0)
        errno = code;
    bool was_pending = is_pending(number);
    call_before(number, info, context);
    if (!was_pending && is_pending(number))
        bell.echo = self;
    bell.ringing = outer;
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
    if (bell.descriptor >= 0 && bell.owner == getpid())
        return true;
    bell.descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bell.owner = getpid();
    return bell.descriptor >= 0;
}

static bool
take_signal(int number)
{
    struct sigaction action = {.sa_sigaction = ring};
    if (sigaction(number, NULL, &bell.before) != 0)
        return false;
    bool alone =
        bell.before.sa_handler == SIG_DFL || bell.before.sa_handler == SIG_IGN;
    /* A handler that has system calls interrupted goes on to have them so. */
    int restart = alone ? SA_RESTART : bell.before.sa_flags & SA_RESTART;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | restart;
    return sigaction(number, &action, NULL) == 0;
}

const char core_hang_bell_doc[] =
    "_hang_bell($module, signal, /)\n--\n\n"
    "Have a signal ring a bell: a descriptor that becomes readable.";

PyObject *
core_hang_bell(PyObject *module, PyObject *argument)
{
    long number = PyLong_AsLong(argument);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    if (bell.hung && bell.owner == getpid()) {
        PyErr_SetString(PyExc_RuntimeError, "The bell hangs already.");
        return NULL;
    }
    if (!can_be_taken(number))
        return PyErr_Format(module_state(module)->errors[ERROR_ARGUMENT],
                            "Signal %ld cannot be used for snapshots.", number);
    if (!make_descriptor())
        return PyErr_SetFromErrno(PyExc_OSError);
    bell.number = (int)number;
    bell.hung = true;
    if (take_signal(bell.number))
        return PyLong_FromLong(bell.descriptor);
    bell.hung = false;
    return PyErr_SetFromErrno(PyExc_OSError);
}

const char core_take_bell_down_doc[] =
    "_take_bell_down($module, /)\n--\n\n"
    "Give the signal back, unless somebody else has it now.";

PyObject *
core_take_bell_down(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    struct sigaction now;
    if (bell.hung && sigaction(bell.number, NULL, &now) == 0 &&
        (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == ring)
        sigaction(bell.number, &bell.before, NULL);
    bell.hung = false;
    Py_RETURN_NONE;
}
