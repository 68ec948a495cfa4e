// The names are those that PyTorch's CapturedTraceback writes: demangled ones
// of C++, and "??" or no file where there are no debug symbols.
#include "bytes/common/frame_names.h"

#include <string.h>

static bool
has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool
is_without_file(const char *file)
{
    return *file == '\0' || strcmp(file, "??") == 0;
}

static bool
is_machinery_of_cpp(const char *name)
{
    static const char *const parts[] = {
        "torch::unwind::",
        "torch::CapturedTraceback::",
        "::gather_with_cpp",
        "CUDACachingAllocator::",
        "c10::impl::wrap_kernel_",
        "c10::Dispatcher::",
        "::redispatch",
        "at::detail::empty_",
        "pybind11::",
        "std::_Function_handler<",
    };
    const char *end = name + lg__frame_name_length(name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *found = strstr(name, parts[i]);
        if (found != NULL && found < end)
            return true;
    }
    return false;
}

static bool
is_of_interpreter(const char *name)
{
    static const char *const prefixes[] = {
        "_Py", "Py", "pymain_", "pybind11_", "__libc_", "_start", "clone",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (has_prefix(name, prefixes[i]))
            return true;
    return false;
}

bool
lg__frame_is_machinery(const char *name, const char *file)
{
    if (strstr(name, "::") != NULL)
        return is_machinery_of_cpp(name);
    return is_without_file(file) && is_of_interpreter(name);
}

// Finds the parenthesis that the one before `end` closes.
static const char *
opening_of(const char *name, const char *end)
{
    size_t depth = 0;
    for (const char *at = end; at > name; at--) {
        depth += at[-1] == ')';
        if (at[-1] == '(' && --depth == 0)
            return at - 1;
    }
    return NULL;
}

// A name may go on after its arguments: " const", " [clone .isra.0]".
static bool
ends_arguments(const char *after)
{
    return *after == '\0' || *after == ' ';
}

size_t
lg__frame_name_length(const char *name)
{
    const char *last = strrchr(name, ')');
    const char *open =
        last != NULL && strstr(name, "::") != NULL && ends_arguments(last + 1)
            ? opening_of(name, last + 1)
            : NULL;
    return open != NULL && open > name && open[-1] != ':'
               ? (size_t)(open - name)
               : strlen(name);
}

const char *
lg__frame_file(const char *file)
{
    static const char *const folders[] = {
        "/site-packages/",
        "/dist-packages/",
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *found = strstr(file, folders[i]);
        if (found != NULL)
            return found + strlen(folders[i]);
    }
    return is_without_file(file) ? "" : file;
}
