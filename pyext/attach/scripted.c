/**
 * The entry of the library for a script (script.h). It connects to whoever
 * wrote the script, does the work, and unloads the library, all before it
 * returns.
 */
#include "attach/injected.h"
#include "attach/outcome.h"
#include "attach/wire.h"

#include <Python.h>
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/** The time that leakgraph has to send its orders, while the interpreter stands
 *  still. */
#define ORDERS_MILLISECONDS 300

/** Where the code lies in a mapping that unloads the library. */
#define LEAVING_CODE 32

/** A mapping with the code that unloads the library, which has no place in it,
 *  and with what that code needs. */
typedef struct leaving {
    void *library;
    int (*close)(void *library);
    int (*unmap)(void *start, size_t size);
    size_t size;
    unsigned char code[64];
} leaving;

/* The interpreter calls the entry, which hands itself over to the mapped code.
   That ends by munmap(), which returns its 0 to the interpreter: the entry has
   no module for it, and has said so by an exception. CPython 3.15 asks for the
   second name first, and opens the library another time if it is missing. */
__asm__(".pushsection .text,\"ax\",@progbits\n"
        ".globl PyInit_leakgraph_attached\n"
        ".type PyInit_leakgraph_attached,@function\n"
        ".globl PyModExport_leakgraph_attached\n"
        ".type PyModExport_leakgraph_attached,@function\n"
        "PyInit_leakgraph_attached:\n"
        "PyModExport_leakgraph_attached:\n"
        "  sub $8,%rsp\n"
        "  call lg__scripted_work\n"
        "  add $8,%rsp\n"
        "  test %rax,%rax\n"
        "  je 1f\n"
        "  mov %rax,%rdi\n"
        "  lea " LG__TEXT(
            LEAVING_CODE) "(%rax),%rax\n"
                          "  jmp *%rax\n"
                          "1:ret\n"
                          ".popsection\n"
                          ".pushsection lg_leaving_code,\"ax\",@progbits\n"
                          "  push %rbx\n"
                          "  mov %rdi,%rbx\n"
                          "  mov (%rbx),%rdi\n"
                          "  call *8(%rbx)\n"
                          "  mov %rbx,%rdi\n"
                          "  mov 24(%rbx),%rsi\n"
                          "  mov 16(%rbx),%rax\n"
                          "  pop %rbx\n"
                          "  jmp *%rax\n"
                          ".popsection\n");
extern const char __start_lg_leaving_code[]
    __attribute__((visibility("hidden")));
extern const char __stop_lg_leaving_code[]
    __attribute__((visibility("hidden")));

_Static_assert(offsetof(leaving, close) == 8 &&
                   offsetof(leaving, unmap) == 16 &&
                   offsetof(leaving, size) == 24 &&
                   offsetof(leaving, code) == LEAVING_CODE,
               "as the code above has it");

/** The path of a file beside the script that runs; false if none does. */
static bool
name_beside_script(const char *name, char *out, size_t size)
{
    PyObject *globals = PyEval_GetGlobals();
    PyObject *folder =
        globals ? PyDict_GetItemString(globals, LG__SCRIPT_FOLDER) : NULL;
    PyObject *path = folder && PyUnicode_Check(folder)
                         ? PyUnicode_EncodeFSDefault(folder)
                         : NULL;
    int length =
        path ? snprintf(out, size, "%s/%s", PyBytes_AS_STRING(path), name) : -1;
    Py_XDECREF(path);
    return length >= 0 && (size_t)length < size;
}

/** Removes what whoever wrote the script has left behind. */
static void
remove_script(void)
{
    static const char *const names[] = {LG__SCRIPT_SOCKET, LG__SCRIPT_FILE, ""};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name_beside_script(names[i], path, sizeof path))
            remove(path);
}

/** A socket to whoever wrote the script, or -1. */
static int
connect_to_writer(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!name_beside_script(LG__SCRIPT_SOCKET, address.sun_path,
                            sizeof address.sun_path))
        return -1;
    int found =
        socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (found >= 0 &&
        connect(found, (struct sockaddr *)&address, sizeof address) != 0) {
        close(found);
        found = -1;
    }
    return found;
}

/** Takes the orders, and the descriptor of the file for the graph; the one of
 *  the library is not needed. False if they do not come in time. */
static bool
take_orders(int socket, lg__orders *orders, int *file)
{
    int descriptors[2];
    struct pollfd source = {socket, POLLIN, 0};
    poll(&source, 1, ORDERS_MILLISECONDS);
    bool came = lg__wire_receive(socket, orders, sizeof *orders, descriptors);
    if (descriptors[0] >= 0)
        close(descriptors[0]);
    *file = descriptors[1];
    return came && *file >= 0;
}

/** Maps what unloads the library. The interpreter has one handle of it, and
 * this takes another to find it. NULL: the library stays. */
static leaving *
prepare_to_leave(void)
{
    Dl_info self;
    leaving out = {.close = dlclose, .unmap = munmap, .size = sizeof out};
    size_t length = (size_t)(__stop_lg_leaving_code - __start_lg_leaving_code);
    if (!dladdr(__start_lg_leaving_code, &self))
        return NULL;
    out.library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (out.library == NULL)
        return NULL;
    dlclose(out.library);
    memcpy(out.code, __start_lg_leaving_code, length);
    leaving *made = mmap(NULL, sizeof out, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    *made = out;
    if (mprotect(made, sizeof out, PROT_READ | PROT_EXEC) == 0)
        return made;
    munmap(made, sizeof out);
    return NULL;
}

/** What keeps this thread from the work: it reads clocks, and needs room on the
 *  stack that the interpreter has left. VISITED: nothing. */
static lg__outcome
find_obstacle(const lg__orders *orders)
{
    int mode = PR_TSC_ENABLE;
    prctl(PR_GET_TSC, &mode);
    if (mode == PR_TSC_SIGSEGV)
        return LG__REFUSES_TIME;
    return lg__stack_is_low((uintptr_t)__builtin_frame_address(0),
                            orders->stack_low)
               ? LG__LOW_STACK
               : LG__VISITED;
}

static void
follow(int socket, int file, const lg__orders *orders)
{
    const lg__answer later = {.kind = LG__ANSWER_LATER,
                              .status = find_obstacle(orders)};
    if (later.status != LG__VISITED)
        lg__wire_send(socket, &later, sizeof later, NULL, 0);
    else
        lg_attached(socket, file, orders);
}

__attribute__((used)) leaving *lg__scripted_work(void);

/** Does the work, and sets an exception. Returns what unloads the library. */
leaving *
lg__scripted_work(void)
{
    lg__orders orders;
    int file = -1, socket = connect_to_writer();
    if (socket < 0)
        remove_script();
    else if (take_orders(socket, &orders, &file))
        follow(socket, file, &orders);
    if (file >= 0)
        close(file);
    if (socket >= 0)
        close(socket);
    PyErr_SetNone(PyExc_ImportError);
    return prepare_to_leave();
}
