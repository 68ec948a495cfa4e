/**
 * Units of compiled code. A unit owns all functions that TorchScript compiled
 * into it, and their constants. All modules and functions that this process
 * scripts, traces or freezes share torch.jit._state._python_cu, which lasts
 * until the process ends, so no constant goes with them. A loaded module has a
 * unit of its own, which goes with it.
 *
 * A unit has a node of its own, and owns what its functions own: the graph that
 * was compiled, and for each executor the plans that it has made, whose graphs
 * have constants that the first graph does not have. torch_code.c walks these
 * graphs. Code that runs has more copies of the constants, which nothing reads.
 */
#include "bytes/torch/torch_bound.h"

enum {
    WORD = sizeof(uintptr_t),
    FUNCTIONS = 1 << 20,
    WORDS = 256, /**< of a function or an executor that may lead on */
};

/** A shared_ptr has the address of a block that begins with the counts. */
static bool
is_block_of(lg__torch *torch, uintptr_t block, lg__torch_kind kind)
{
    const lg__torch_class *class =
        lg__is_address(block) ? lg__torch_class_of(torch, block) : NULL;
    return class != NULL && class->kind == kind;
}

/** Copies the words of an object; returns how many there are. */
static size_t
copy_words(lg__torch *torch, uintptr_t object, uintptr_t *words)
{
    size_t size = lg__memory_block(torch->memory, object);
    size_t count = size < WORDS * WORD ? size / WORD : WORDS;
    return lg__memory_copy(torch->memory, object, words, count * WORD) ? count
                                                                       : 0;
}

/** Walks the graphs of an executor's plans. A plan is two shared_ptrs, to what
 *  the interpreter reads and to the graph. Behind it, a byte says whether there
 *  is one; if not, the words are old. */
static void
walk_executor(lg__torch *torch, uintptr_t executor, uint32_t unit)
{
    uintptr_t words[WORDS];
    size_t count = copy_words(torch, executor, words);
    for (size_t i = 0; i + 4 < count; i++)
        if (is_block_of(torch, words[i + 1], LG__TORCH_PLAN) &&
            (words[i + 4] & UINT8_MAX) == 1)
            lg__torch_walk_code(torch, words[i + 2], unit);
}

/** A function may have several executors, each a shared_ptr with a byte behind
 *  it, too. */
static void
walk_function(lg__torch *torch, uintptr_t function, uint32_t unit)
{
    uintptr_t words[WORDS];
    size_t count = copy_words(torch, function, words);
    lg__torch_walk_code(
        torch,
        lg__memory_word(torch->memory, function + torch->layout->code.graph),
        unit);
    for (size_t i = 0; i + 2 < count; i++)
        if (is_block_of(torch, words[i + 1], LG__TORCH_EXECUTOR) &&
            (words[i + 2] & UINT8_MAX) == 1)
            walk_executor(torch, words[i], unit);
}

bool
lg__torch_knows_code(lg__torch *torch, uint32_t node)
{
    static const char why[] = "an unknown layout of compiled code";
    if (!torch->layout->code.known)
        lg_builder_add_fact(torch->builder, node, "not inspected", why,
                            sizeof why - 1);
    return torch->layout->code.known;
}

static void
walk_unit(lg__torch *torch, uintptr_t block, uint32_t node)
{
    uintptr_t at = block + LG__TORCH_COUNTS + torch->layout->code.functions,
              ends[2];
    if (!lg__torch_knows_code(torch, node) ||
        !lg__memory_copy(torch->memory, at, ends, sizeof ends) ||
        ends[1] < ends[0] || ends[1] - ends[0] > FUNCTIONS * WORD)
        return;
    for (; ends[0] < ends[1]; ends[0] += WORD) {
        uintptr_t function = lg__memory_word(torch->memory, ends[0]);
        if (lg__is_address(function) && lg__torch_class_of(torch, function))
            walk_function(torch, function, node);
    }
}

void
lg__torch_link_unit(lg__torch *torch, uint32_t source, uintptr_t word)
{
    bool made;
    if (!is_block_of(torch, word, LG__TORCH_UNIT))
        return;
    uint32_t type =
        lg__pass_type(torch->pass, "torch.jit.CompilationUnit (C++)", LG_NONE);
    uint32_t node =
        lg__pass_native(torch->pass, (const void *)word, type,
                        lg__memory_block(torch->memory, word), &made);
    if (node == LG_NONE)
        return;
    lg__pass_edge(torch->pass, source, node, LG_EDGE_NATIVE, "C++ member");
    if (made)
        walk_unit(torch, word, node);
}
