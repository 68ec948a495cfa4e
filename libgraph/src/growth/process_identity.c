// Finds out which script or module a process of Python runs, and which process
// of a job this one is.
#include "graph/graph_private.h"

#include <leakgraph/internal/program.h>
#include <leakgraph/internal/ranks.h>

#include <string.h>
#include <stdlib.h>

// Returns the next argument, and moves behind it; data is NULL at the end.
static lg_string
next_argument(lg_string *rest)
{
    lg_string found = {NULL, 0};
    if (rest->length == 0)
        return found;
    const char *end = memchr(rest->data, '\0', rest->length);
    found.data = rest->data;
    found.length = end ? (uint32_t)(end - rest->data) : rest->length;
    uint32_t taken = found.length + (end != NULL);
    rest->data += taken;
    rest->length -= taken;
    return found;
}

static lg_string
without_folder(lg_string path)
{
    const char *slash = memrchr(path.data, '/', path.length);
    if (slash == NULL)
        return path;
    uint32_t cut = (uint32_t)(slash + 1 - path.data);
    return (lg_string){slash + 1, path.length - cut};
}

static bool
is_script(lg_string argument)
{
    return argument.length > 3 &&
           memcmp(argument.data + argument.length - 3, ".py", 3) == 0;
}

// The options of Python that end the search are -c and -m; -W and -X have a
// value. Letters may stand together, and the value follows the letter or is the
// next argument. Returns the letter that ended the option; 0: none did.
static char
read_option(lg_string option, lg_string *rest, lg_program *out)
{
    if (lg__string_is(option, "--check-hash-based-pycs"))
        next_argument(rest);
    if (lg__string_begins(option, "--"))
        return 0;
    for (uint32_t i = 1; i < option.length; i++) {
        char letter = option.data[i];
        if (strchr("cmWX", letter) == NULL)
            continue;
        lg_string value = {option.data + i + 1, option.length - i - 1};
        if (value.length == 0)
            value = next_argument(rest);
        if (letter == 'm' && value.data != NULL)
            *out = (lg_program){value, true};
        return letter == 'm' || letter == 'c' ? letter : 0;
    }
    return 0;
}

// Returns whether this module or script runs another one in its own process.
static bool
is_wrapper(lg_program program)
{
    static const char *const names[] = {
        "leakgraph", "coverage", "cProfile", "debugpy", "memray",
        "pdb",       "profile",  "scalene",  "trace",   "viztracer",
    };
    lg_string name = lg_program_name(program);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return false;
}

static lg_program
wrapped(lg_string rest)
{
    for (lg_string at; (at = next_argument(&rest)).data != NULL;)
        if (is_script(at))
            return (lg_program){at, false};
    return (lg_program){{"", 0}, false};
}

lg_program
lg_program_of_arguments(const char *arguments, size_t length)
{
    lg_program found = {{"", 0}, false};
    lg_string rest = {arguments,
                      length < UINT32_MAX ? (uint32_t)length : UINT32_MAX};
    lg_string first = next_argument(&rest);
    if (first.data == NULL)
        return found;
    first = without_folder(first);
    if (!lg__string_begins(first, "python") &&
        !lg__string_begins(first, "Python"))
        return found;
    for (lg_string at; (at = next_argument(&rest)).length > 0;) {
        if (at.data[0] != '-')
            found = (lg_program){at, false};
        else if (at.length > 1 && read_option(at, &rest, &found) == 0)
            continue;
        break;
    }
    return is_wrapper(found) ? wrapped(rest) : found;
}

lg_program
lg_program_of_info(lg_string info)
{
    if (lg__string_begins(info, "-m "))
        return (lg_program){{info.data + 3, info.length - 3}, true};
    return (lg_program){info, false};
}

lg_string
lg_program_name(lg_program program)
{
    return program.is_module ? program.text : without_folder(program.text);
}

// Returns the name without its package or its ending.
static lg_string
stem(lg_program program)
{
    lg_string name = lg_program_name(program);
    const char *dot = memrchr(name.data, '.', name.length);
    uint32_t before = dot ? (uint32_t)(dot - name.data) : name.length;
    if (!program.is_module && is_script(name))
        return (lg_string){name.data, before};
    if (program.is_module && dot != NULL)
        return (lg_string){dot + 1, name.length - before - 1};
    return name;
}

bool
lg_program_differs(lg_program one, lg_program other)
{
    static const char nameless[] = "__main__";
    lg_string a = stem(one);
    lg_string b = stem(other);
    return a.length > 0 && b.length > 0 && !lg__string_is(a, nameless) &&
           !lg__string_is(b, nameless) && !lg__string_same(a, b);
}

// Returns whether the text is a number, because any program may have a variable
// RANK.
static bool
is_rank(const char *text)
{
    enum { MOST_DIGITS = 9 };
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits > 0 && digits <= MOST_DIGITS && text[digits] == '\0';
}

const char *
lg_process_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "PMI_RANK", "MV2_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};
    const char *rank = getenv("RANK");
    if (is_rank(rank) && getenv("WORLD_SIZE") != NULL)
        return rank;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rank = getenv(names[i]);
        if (is_rank(rank))
            return rank;
    }
    return NULL;
}
