#include "attach/frame.h"

#include <asm/sigcontext.h>
#include <cpuid.h>
#include <string.h>

/* The kernel's headers that define these clash with those of the C library. */
enum {
    HAS_XSTATE = 1,
    HAS_SS = 2,
    STRICT_SS = 4,
    /* No flag of sigaltstack: the kernel leaves the thread's stack alone. */
    NO_ALTSTACK = 0x40000000,
};

/** The offset in the vector state of the bits for the parts in use. */
#define IN_USE 512
#define LEGACY_AND_HEADER 576
#define SIZES_AT 464

typedef struct kernel_frame {
    uint64_t return_address;
    uint64_t flags;
    uint64_t link;
    struct {
        uint64_t start;
        int32_t flags;
        int32_t unused;
        uint64_t size;
    } altstack;
    struct sigcontext context;
    uint64_t mask;
} kernel_frame;

/** The kernel requires this alignment of the vector state. */
#define VECTORS_AT (((sizeof(kernel_frame) + 255) & ~(size_t)255) + 256)

static void
set_context(struct sigcontext *context, const struct user_regs_struct *from)
{
    context->r8 = from->r8;
    context->r9 = from->r9;
    context->r10 = from->r10;
    context->r11 = from->r11;
    context->r12 = from->r12;
    context->r13 = from->r13;
    context->r14 = from->r14;
    context->r15 = from->r15;
    context->rdi = from->rdi;
    context->rsi = from->rsi;
    context->rbp = from->rbp;
    context->rbx = from->rbx;
    context->rdx = from->rdx;
    context->rax = from->rax;
    context->rcx = from->rcx;
    context->rsp = from->rsp;
    context->rip = from->rip;
    context->eflags = from->eflags;
    context->cs = (uint16_t)from->cs;
    context->ss = (uint16_t)from->ss;
}

/** The bytes that the parts in use take, as the processor reports them. */
static size_t
size_in_use(uint64_t in_use)
{
    size_t needed = LEGACY_AND_HEADER;
    for (unsigned part = 2; part < 63; part++) {
        unsigned size, offset, more, spare;
        if (!(in_use >> part & 1))
            continue;
        if (!__get_cpuid_count(0xd, part, &size, &offset, &more, &spare) ||
            size == 0)
            return 0;
        if (offset + size > needed)
            needed = offset + size;
    }
    return needed;
}

bool
lg__frame_build(const struct user_regs_struct *registers, uint64_t mask,
                const unsigned char *vectors, size_t size, uint64_t address,
                unsigned char *out)
{
    uint64_t in_use;
    const uint32_t end = FP_XSTATE_MAGIC2;
    if (size < LEGACY_AND_HEADER)
        return false;
    memcpy(&in_use, vectors + IN_USE, sizeof in_use);
    size_t needed = size_in_use(in_use);
    if (needed == 0 || needed > size ||
        VECTORS_AT + needed + sizeof end > LG__FRAME_BYTES)
        return false;
    struct _fpx_sw_bytes sizes = {
        .magic1 = FP_XSTATE_MAGIC1,
        .extended_size = (uint32_t)(needed + sizeof end),
        .xfeatures = in_use | 3,
        .xstate_size = (uint32_t)needed,
    };
    kernel_frame frame = {
        .flags = HAS_XSTATE | HAS_SS | STRICT_SS,
        .altstack.flags = NO_ALTSTACK,
        .mask = mask,
    };
    set_context(&frame.context, registers);
    frame.context.fpstate = (void *)(uintptr_t)(address + VECTORS_AT);
    memcpy(out, &frame, sizeof frame);
    memcpy(out + VECTORS_AT, vectors, needed);
    memcpy(out + VECTORS_AT + SIZES_AT, &sizes, sizeof sizes);
    memcpy(out + VECTORS_AT + needed, &end, sizeof end);
    return true;
}
