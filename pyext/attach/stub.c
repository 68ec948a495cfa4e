#include "attach/stub.h"
#include "attach/planted.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define STUB                                                                   \
    __attribute__((section("lg_stub_code"), used, noinline, optimize("Os")))

/** What the entry pushes. */
typedef struct saved {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rdx, rcx, rbx, rax;
    uint64_t flags;
} saved;

/* The red zone is skipped first. `lea` and `jmp` leave the flags alone, and a
   jump leaves a shadow stack alone. The end stands behind all code, and the
   assembler refuses code that reaches beyond it. */
__asm__(".pushsection lg_stub_code,\"ax\",@progbits\n"
        "stub_cells: .fill 104,1,0x90\n"
        "stub_repeat:\n"
        "  jmp 1f\n"
        ".globl lg__stub_plain\n"
        ".hidden lg__stub_plain\n"
        "lg__stub_plain:\n"
        "  lea -128(%rsp),%rsp\n"
        "  pushfq\n"
        "  push %rax\n"
        "  xor %eax,%eax\n"
        "  jmp 2f\n"
        "1:lea -128(%rsp),%rsp\n"
        "  pushfq\n"
        "  push %rax\n"
        "  mov $1,%eax\n"
        "2:cld\n"
        "  push %rbx\n  push %rcx\n  push %rdx\n  push %rbp\n  push %rsi\n"
        "  push %rdi\n  push %r8\n  push %r9\n  push %r10\n  push %r11\n"
        "  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp,%rdi\n"
        "  lea stub_cells(%rip),%rsi\n"
        "  mov %eax,%edx\n"
        "  mov %rsp,%rbx\n"
        "  and $-64,%rsp\n"
        "  call lg__stub_run\n"
        "  mov %rbx,%rsp\n"
        "  test %eax,%eax\n"
        ".macro go_home cell\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %r11\n"
        "  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n"
        "  pop %rbp\n  pop %rdx\n  pop %rcx\n  pop %rbx\n  pop %rax\n"
        "  popfq\n"
        "  lea 128(%rsp),%rsp\n"
        "  jmp *\\cell(%rip)\n"
        ".endm\n"
        "  jne 3f\n"
        "  go_home stub_cells+8\n"
        "3:go_home stub_cells+16\n"
        ".subsection 1\n"
        ".org " LG__TEXT(LG__STUB_BYTES) "\n"
                                         ".popsection\n");

_Static_assert(sizeof(lg__stub_cells) == 104 &&
                   offsetof(lg__stub_cells, home) == 8 &&
                   offsetof(lg__stub_cells, repeat) == 16,
               "as the code above has it");

/* Whether one of these signals has a handler that ends the interrupted call
   with EINTR, as the kernel decides it: the first one with a handler counts. */
STUB static int
is_ended(uint64_t error, uint64_t signals)
{
    enum { RESTARTSYS = 512, RESTARTNOHAND = 514, RESTART_RESTARTBLOCK = 516 };
    uint64_t action[4];
    for (; signals; signals &= signals - 1) {
        lg__planted_call(SYS_rt_sigaction, __builtin_ctzl(signals) + 1, 0,
                         (long)action, 8);
        if (action[0] > 1)
            return error == RESTARTNOHAND || error == RESTART_RESTARTBLOCK ||
                   (error == RESTARTSYS && !(action[1] & SA_RESTART));
    }
    return 0;
}

/* The signals of which Python has yet to tell the program. The handler of one
   that came to the whole process while this thread blocked it has run on
   another thread. */
STUB static uint64_t
signals_of_python(const lg__stub_cells *cells)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < 64 && cells->signals; i++)
        if (*(volatile int *)(cells->signals + i * cells->stride))
            found |= (uint64_t)1 << i;
    return found;
}

/* The region stays if what was called asks for it. */
STUB static void
be_visited(void)
{
    long keep = 0;
    long region =
        lg__planted_call(SYS_mmap, 0, LG__REGION_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS);
    if (region < 0 && region > -4096)
        return;
    lg__planted_call(SYS_sched_yield, region, 0, 0, 0);
    uint64_t go = *(volatile uint64_t *)(region + LG__REGION_CODE);
    if (go && lg__planted_call(SYS_mprotect, region, LG__REGION_CODE,
                               PROT_READ | PROT_EXEC, 0) == 0)
        keep = ((int (*)(long))(region + (long)go))(region);
    if (!keep)
        lg__planted_call(SYS_munmap, region, LG__REGION_BYTES, 0, 0);
}

/* Returns whether to go home to the `syscall` instruction. */
STUB int
lg__stub_run(saved *thread, const lg__stub_cells *cells, int repeat)
{
    uint64_t mask = 0, waiting = 0;
    if (cells->probe >= 0) {
        lg__planted_call(cells->probe, (long)cells->words[0],
                         (long)cells->words[1], (long)cells->words[2], 0);
        return repeat;
    }
    lg__planted_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&cells->quiet,
                     (long)&mask, 8);
    /* Usually the visitor has lived long enough to block them itself. */
    if (mask == cells->quiet)
        mask = cells->mask;
    be_visited();
    lg__planted_call(SYS_rt_sigpending, (long)&waiting, 8, 0, 0);
    int ended = repeat && is_ended(cells->error, waiting & ~mask);
    lg__planted_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
    waiting = signals_of_python(cells) & ~(mask | cells->before);
    if (!ended && !(repeat && is_ended(cells->error, waiting)))
        return repeat;
    thread->rax = (uint64_t)-EINTR;
    return 0;
}
