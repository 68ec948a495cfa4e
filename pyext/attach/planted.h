/**
 * How planted code calls the kernel. It has no library and no data of its own.
 */
#ifndef LEAKGRAPH_PLANTED_H
#define LEAKGRAPH_PLANTED_H

/** A number in the text of an assembler. */
#define LG__TEXT(NUMBER) LG__TEXT_OF(NUMBER)
#define LG__TEXT_OF(NUMBER) #NUMBER

/** The fifth and sixth arguments are those of mmap() without a file. */
static inline __attribute__((always_inline)) long
lg__planted_call(long number, long first, long second, long third, long fourth)
{
    long result;
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = -1;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third),
                       "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
