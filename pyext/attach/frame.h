/**
 * The frame from which rt_sigreturn restores all that a thread had when a
 * signal came, as the kernel lays it out.
 */
#ifndef LEAKGRAPH_FRAME_H
#define LEAKGRAPH_FRAME_H

#include "attach/tracee.h"

/** Builds in `out` (LG__FRAME_BYTES) the frame that will lie at
 *  `address`, a multiple of 256. `vectors` is what ptrace tells of
 *  NT_X86_XSTATE, in `size` bytes. False if it has parts that the processor
 *  does not tell of. */
bool lg__frame_build(const struct user_regs_struct *registers, uint64_t mask,
                     const unsigned char *vectors, size_t size,
                     uint64_t address, unsigned char *out);

#endif
