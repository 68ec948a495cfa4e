/**
 * What a tortured process checks about itself, in C: registers, the tiles of
 * AMX, and waits that must last as long as they should. Each check returns 0,
 * or a number that tells what was wrong.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SECOND 1000000000L
#define SPINS "60000"

enum {
    WRONG_VECTOR = 1,
    WRONG_GENERAL = 100,
    WRONG_RED_ZONE = 200,
    WRONG_FLAGS = 300,
    WRONG_X87 = 301,
    WRONG_ROUNDING = 302,
    WRONG_RIGHTS = 303,
    WRONG_OPMASK = 310,
    WRONG_TILE = 350,
    WRONG_TILE_CONFIG = 360,
    WRONG_RESULT = 400, /* and the error */
    TOO_SHORT = 900,
    NOT_INTERRUPTED = 901,
    WRONG_MASK = 902
};

enum { GENERAL = 14, RED_WORDS = 16, OPMASKS = 8 };

/* x87 and SSE as FXSAVE stores them. The rest are bytes of no interest here. */
typedef struct legacy {
    uint16_t control, status;
    uint8_t used, unused[19];
    uint32_t rounding, which;
    struct {
        uint64_t mantissa;
        uint16_t exponent, unused[3];
    } x87[8];
    uint64_t rest[44];
} legacy;
_Static_assert(sizeof(legacy) == 512, "as the processor has it");

/* All values are valid numbers, the third register is on top, and rounding is
   towards zero. */
enum { CONTROL = 0xe7f, STATUS = 0x1800, ALL_USED = 0xff, ROUNDING = 0x7f80 };

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN _Alignas(64) uint64_t vectors_in[32][8], vectors_out[32][8];
HIDDEN uint64_t general_in[GENERAL], general_out[GENERAL], red_out[RED_WORDS];
HIDDEN uint64_t opmasks_in[OPMASKS], opmasks_out[OPMASKS];
HIDDEN _Alignas(64) legacy legacy_in, legacy_out;
HIDDEN uint32_t usual_rounding = 0x1f80;

#define FIRST_8 "0,1,2,3,4,5,6,7"
#define FIRST_16 FIRST_8 ",8,9,10,11,12,13,14,15"
#define ALL_32 FIRST_16 ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

/* The assembler repeats a line for each register. */
#define EACH_VECTOR(NUMBERS, LINE) ".irp i," NUMBERS "\n" LINE "\n.endr\n"
#define EACH_GENERAL(LINE)                                                     \
    "" LINE("rax", "0") LINE("rbx", "8") LINE("rdx", "16") LINE("rsi", "24")   \
        LINE("rdi", "32") LINE("rbp", "40") LINE("r8", "48") LINE("r9", "56")  \
            LINE("r10", "64") LINE("r11", "72") LINE("r12", "80")              \
                LINE("r13", "88") LINE("r14", "96") LINE("r15", "104")
#define GET(NAME, PLACE) "mov general_in+" PLACE "(%%rip),%%" NAME "\n"
#define PUT(NAME, PLACE) "mov %%" NAME ",general_out+" PLACE "(%%rip)\n"
#define GET_GENERAL EACH_GENERAL(GET)
#define PUT_GENERAL EACH_GENERAL(PUT)
#define GET_ZMM                                                                \
    EACH_VECTOR(ALL_32, "vmovdqu64 vectors_in+64*\\i(%%rip),%%zmm\\i")         \
    EACH_VECTOR(FIRST_8, "kmovq opmasks_in+8*\\i(%%rip),%%k\\i")
#define PUT_ZMM                                                                \
    EACH_VECTOR(ALL_32, "vmovdqu64 %%zmm\\i,vectors_out+64*\\i(%%rip)")        \
    EACH_VECTOR(FIRST_8, "kmovq %%k\\i,opmasks_out+8*\\i(%%rip)")
#define GET_XMM                                                                \
    EACH_VECTOR(FIRST_16, "movdqu vectors_in+64*\\i(%%rip),%%xmm\\i")
#define PUT_XMM                                                                \
    EACH_VECTOR(FIRST_16, "movdqu %%xmm\\i,vectors_out+64*\\i(%%rip)")

/* Steps of one piece of assembly: fill the red zone; count down without a
   change of the carry and direction flags, which are set; read the flags
   without a change of the red zone; read the red zone. */
#define FILL_RED                                                               \
    "mov $16,%%ecx\n"                                                          \
    "1: mov %%rcx,%%rax\n neg %%rax\n"                                         \
    "mov %%rcx,(%%rsp,%%rax,8)\n dec %%ecx\n jnz 1b\n"
#define COUNT_DOWN "mov $" SPINS ",%%ecx\n std\n stc\n2: dec %%ecx\n jnz 2b\n"
#define READ_FLAGS                                                             \
    "lea -128(%%rsp),%%rsp\n pushfq\n pop %%rcx\n cld\n"                       \
    "lea 128(%%rsp),%%rsp\n"
#define READ_RED                                                               \
    "mov $16,%%edx\n lea red_out(%%rip),%%rdi\n"                               \
    "3: mov %%rdx,%%rax\n neg %%rax\n mov (%%rsp,%%rax,8),%%rsi\n"             \
    "mov %%rsi,-8(%%rdi,%%rdx,8)\n dec %%edx\n jnz 3b\n"
#define ENTER                                                                  \
    "push %%rbp\n push %%rbx\n sub $512,%%rsp\n"                               \
    "fxrstor64 legacy_in(%%rip)\n"
#define LEAVE                                                                  \
    "fxsave64 legacy_out(%%rip)\n fninit\n ldmxcsr usual_rounding(%%rip)\n"    \
    "add $512,%%rsp\n pop %%rbx\n pop %%rbp\n"

#define SPIN(GET_VECTORS, PUT_VECTORS)                                         \
    __asm__ volatile(ENTER GET_VECTORS FILL_RED GET_GENERAL COUNT_DOWN         \
                         PUT_GENERAL READ_FLAGS PUT_VECTORS READ_RED LEAVE     \
                     : "=c"(flags)                                             \
                     :                                                         \
                     : "rax", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",   \
                       "r12", "r13", "r14", "r15", "memory", "cc", "xmm0",     \
                       "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", \
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",     \
                       "xmm14", "xmm15")

__attribute__((target("avx512bw"))) static uint64_t
spin_wide(void)
{
    uint64_t flags;
    SPIN(GET_ZMM, PUT_ZMM "vzeroupper\n");
    return flags;
}

static uint64_t
spin_narrow(void)
{
    uint64_t flags;
    SPIN(GET_XMM, PUT_XMM);
    return flags;
}

static int
has_protection_keys(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_OSPKE);
}

/* What the thread may do with memory that has a protection key. */
static uint32_t
get_rights(void)
{
    uint32_t rights, unused;
    __asm__ volatile("rdpkru" : "=a"(rights), "=d"(unused) : "c"(0));
    return rights;
}

static void
set_rights(uint32_t rights)
{
    __asm__ volatile("wrpkru" : : "a"(rights), "c"(0), "d"(0) : "memory");
}

/* Fills memory with bytes that are others for another seed. */
static void
fill(unsigned seed, uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = 0x9e3779b97f4a7c15ul * ((uint64_t)seed + i + 1);
}

static void
fill_legacy(void)
{
    legacy_in = (legacy){.control = CONTROL,
                         .status = STATUS,
                         .used = ALL_USED,
                         .rounding = ROUNDING};
    for (int i = 0; i < 8; i++) {
        legacy_in.x87[i].mantissa = vectors_in[i][7] | (uint64_t)1 << 63;
        legacy_in.x87[i].exponent = (uint16_t)(0x3fff + i);
    }
}

static int
check_legacy(void)
{
    for (int i = 0; i < 8; i++)
        if (legacy_in.x87[i].mantissa != legacy_out.x87[i].mantissa ||
            legacy_in.x87[i].exponent != legacy_out.x87[i].exponent)
            return WRONG_X87;
    if (legacy_out.control != CONTROL || legacy_out.status != STATUS ||
        legacy_out.used != ALL_USED)
        return WRONG_X87;
    return legacy_out.rounding == ROUNDING ? 0 : WRONG_ROUNDING;
}

static int
check_vectors(int wide)
{
    for (int i = 0; i < (wide ? 32 : 16); i++)
        if (memcmp(vectors_in[i], vectors_out[i], wide ? 64 : 16) != 0)
            return WRONG_VECTOR + i;
    for (int i = 0; i < (wide ? OPMASKS : 0); i++)
        if (opmasks_in[i] != opmasks_out[i])
            return WRONG_OPMASK + i;
    return check_legacy();
}

/* Spins with other rights than usual to memory with the highest key, which no
   memory has here. Returns the flags, and whether the rights stayed. */
static uint64_t
spin(int wide, int *kept)
{
    const uint32_t highest_key = (uint32_t)3 << 30;
    int keys = has_protection_keys();
    uint32_t usual = keys ? get_rights() : 0, other = usual ^ highest_key;
    if (keys)
        set_rights(other);
    uint64_t flags = wide ? spin_wide() : spin_narrow();
    *kept = !keys || get_rights() == other;
    if (keys)
        set_rights(usual);
    return flags;
}

int
check_registers(unsigned seed)
{
    const uint64_t carry_and_direction = 0x401;
    int kept, wide = __builtin_cpu_supports("avx512bw");
    fill(seed, vectors_in[0], 256);
    memcpy(general_in, vectors_in, sizeof general_in);
    memcpy(opmasks_in, vectors_in[8], sizeof opmasks_in);
    fill_legacy();
    uint64_t flags = spin(wide, &kept);
    for (int i = 0; i < GENERAL; i++)
        if (general_in[i] != general_out[i])
            return WRONG_GENERAL + i;
    for (int i = 0; i < RED_WORDS; i++)
        if (red_out[i] != (uint64_t)i + 1)
            return WRONG_RED_ZONE + i;
    if ((flags & carry_and_direction) != carry_and_direction)
        return WRONG_FLAGS;
    if (!kept)
        return WRONG_RIGHTS;
    return check_vectors(wide);
}

/* AMX has eight tiles of 16 rows of 64 bytes. */
enum { TILES = 8, ROWS = 16, ROW_BYTES = 64, ROW_WORDS = 8 };

/* What LDTILECFG loads. */
typedef struct tile_config {
    uint8_t palette, row, unused[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_config;

typedef struct tiles {
    _Alignas(64) tile_config config;
    _Alignas(64) uint64_t words[TILES][ROWS][ROW_WORDS];
} tiles;

__attribute__((target("amx-tile"))) static void
load_tiles(const tiles *from)
{
    __asm__ volatile("ldtilecfg (%0)\n" EACH_VECTOR(
                         FIRST_8, "tileloadd 1024*\\i(%1,%2),%%tmm\\i")
                     :
                     : "r"(&from->config), "r"(from->words),
                       "r"((long)ROW_BYTES)
                     : "memory");
}

__attribute__((target("amx-tile"))) static void
take_tiles(tiles *out)
{
    __asm__ volatile(
        "sttilecfg (%0)\n" EACH_VECTOR(
            FIRST_8, "tilestored %%tmm\\i,1024*\\i(%1,%2)") "tilerelease\n"
        :
        : "r"(&out->config), "r"(out->words), "r"((long)ROW_BYTES)
        : "memory");
}

/* Asks the kernel for tiles. Returns 0 or the error. */
int
use_tiles(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) ? errno : 0;
}

/* The tiles are there after another check as they were before. No code that a
   compiler makes, and nothing in the C library, uses them. */
int
check_tiles(unsigned seed, int (*check)(unsigned))
{
    tiles before = {.config = {.palette = 1}}, after = before;
    for (int i = 0; i < TILES; i++) {
        before.config.row_bytes[i] = ROW_BYTES;
        before.config.rows[i] = ROWS;
    }
    fill(seed, before.words[0][0], TILES * ROWS * ROW_WORDS);
    load_tiles(&before);
    int wrong = check(seed);
    take_tiles(&after);
    if (memcmp(&before.config, &after.config, sizeof before.config) != 0)
        return WRONG_TILE_CONFIG;
    for (int i = 0; i < TILES; i++)
        if (memcmp(before.words[i], after.words[i], sizeof *before.words) != 0)
            return WRONG_TILE + i;
    return wrong;
}

static long
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

enum wait { NANOSLEEP, ABSOLUTE, POLL, PPOLL, SELECT, FUTEX, WAITS };

/* Waits by one call. Returns 0 or the error. */
static int
wait_by(enum wait kind, long nanoseconds, int silent)
{
    struct timespec time = {0, nanoseconds};
    struct timeval short_time = {0, nanoseconds / 1000};
    struct pollfd file = {silent, POLLIN, 0};
    long end = now() + nanoseconds, result = -1;
    int word = 0;
    sigset_t other;
    sigemptyset(&other);
    sigaddset(&other, SIGUSR1);
    sigaddset(&other, SIGUSR2);
    switch (kind) {
    case NANOSLEEP:
        result = syscall(SYS_nanosleep, &time, NULL);
        break;
    case ABSOLUTE:
        time = (struct timespec){end / SECOND, end % SECOND};
        return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    case POLL:
        result = syscall(SYS_poll, &file, 1, (int)(nanoseconds / 1000000));
        break;
    case PPOLL:
        result = ppoll(&file, 1, &time, &other);
        break;
    case SELECT:
        result = select(0, NULL, NULL, NULL, &short_time);
        break;
    default:
        result =
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
        return result == -1 && errno == ETIMEDOUT ? 0 : errno;
    }
    return result == 0 ? 0 : errno;
}

/* Whether the thread blocks exactly these signals. */
static int
blocks(const sigset_t *wanted)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    for (int i = 1; i < NSIG; i++)
        if (sigismember(&now, i) != sigismember(wanted, i))
            return 0;
    return 1;
}

static int
check_each_wait(long nanoseconds, int silent, const sigset_t *mask)
{
    for (enum wait kind = NANOSLEEP; kind < WAITS; kind++) {
        long began = now();
        int error = wait_by(kind, nanoseconds, silent);
        if (error != 0)
            return WRONG_RESULT + error + 1000 * (int)kind;
        if (now() - began < nanoseconds)
            return TOO_SHORT + 1000 * (int)kind;
        if (!blocks(mask))
            return WRONG_MASK + 1000 * (int)kind;
    }
    return 0;
}

/* All waits last so long, and none ends by an error. `silent`: the end of a
   pipe through which nothing comes. A handler would end some of the waits, so
   the signal comes afterwards. */
int
check_waits(long nanoseconds, int silent)
{
    sigset_t blocked, none;
    sigemptyset(&none);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    if (!blocks(&none))
        return WRONG_MASK;
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    int wrong = check_each_wait(nanoseconds, silent, &blocked);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    return wrong;
}

/* Goes on waiting when a handler has ended the wait. */
int
check_short_wait(unsigned unused)
{
    long end = now() + SECOND / 500;
    struct timespec time = {end / SECOND, end % SECOND};
    int error = EINTR;
    (void)unused;
    while (error == EINTR)
        error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    if (error != 0)
        return WRONG_RESULT + error;
    return now() < end ? TOO_SHORT : 0;
}

/* Labels of a wait: before the system call, and behind it. */
HIDDEN extern const char wait_begins[], wait_ends[];
static volatile sig_atomic_t waiting, handled_elsewhere, lost;

/* A handler that the kernel runs behind the call has ended the wait. If it has
   run elsewhere during the wait, the wait must end without another. A handler
   on another thread ends no wait of this one. */
static void
handle(int number, siginfo_t *unused, void *context)
{
    const ucontext_t *thread = context;
    const char *at =
        (const char *)(uintptr_t)thread->uc_mcontext.gregs[REG_RIP];
    (void)number, (void)unused;
    if (!waiting || at == wait_begins || syscall(SYS_gettid) != getpid())
        return;
    if (at == wait_ends)
        lost |= handled_elsewhere;
    else
        handled_elsewhere = 1;
}

__attribute__((noinline)) static long
wait_in_kernel(long call, long first, long second, long third)
{
    long result;
    handled_elsewhere = 0;
    __asm__ volatile("movl $1,%[flag]\n"
                     "wait_begins:\n"
                     "  syscall\n"
                     "wait_ends:\n"
                     "  movl $0,%[flag]\n"
                     : "=a"(result), [flag] "+m"(waiting)
                     : "a"(call), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

static void
set_alarm(int flags, long first, long then)
{
    struct sigaction action = {.sa_sigaction = handle,
                               .sa_flags = flags | SA_SIGINFO};
    struct itimerval time = {{0, then}, {0, first}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &time, NULL);
}

/* A handler without SA_RESTART ends waits: of a read() and of nanosleep(). The
   alarm repeats, because it may come before the wait. The sleep is long: one
   that is over before the thread gets a processor returns 0, whatever came. */
int
check_interrupted(int silent)
{
    char byte;
    struct timespec hour = {3600, 0};
    lost = 0;
    set_alarm(0, 15000, 15000);
    int wrong = wait_in_kernel(SYS_read, silent, (long)&byte, 1) != -EINTR ||
                wait_in_kernel(SYS_nanosleep, (long)&hour, 0, 0) != -EINTR;
    set_alarm(0, 0, 0);
    return wrong || lost ? NOT_INTERRUPTED : 0;
}

/* Signals come all the time, with SA_RESTART. */
void
begin_storm(void)
{
    set_alarm(SA_RESTART, 200, 200);
}

/* Replaces the program when a byte comes, from a thread that needs no GIL. */
void
replace_when_told(int told, char **words)
{
    char byte;
    while (read(told, &byte, 1) != 1)
        ;
    execv(words[0], words);
}

static int
nothing(void *context)
{
    (void)context;
    return 0;
}

/* Fills the queue of pending calls and makes the calls, with the GIL. */
void
use_queue(int (*add)(int (*)(void *), void *), int (*make_calls)(void))
{
    for (int i = 0; i < 1000; i++) {
        while (add(nothing, NULL) == 0)
            ;
        make_calls();
    }
}
