// The version with which the library was compiled. Reads structs of options
// from programs older or newer than it.
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/version.h>

#include <string.h>

static size_t
size_of(const void *options)
{
    size_t size;
    memcpy(&size, options, sizeof size);
    return size;
}

static bool
is_zero(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

lg_status
lg_options_read(void *options, const void *given, const char *name,
                lg_error *err)
{
    if (given == NULL)
        return LG_OK;
    size_t known = size_of(options);
    size_t size = size_of(given);
    size_t common = size < known ? size : known;
    if (size < sizeof size)
        return lg_error_set(err, LG_EINVAL,
                            "%s.size is %zu, which no version of leakgraph "
                            "has: begin the struct with its _INIT macro",
                            name, size);
    if (!is_zero((const char *)given + common, size - common))
        return lg_error_set(err, LG_EINVAL,
                            "%s of %zu bytes sets options that leakgraph %s "
                            "does not know: leave them zero, or use the "
                            "library that the header belongs to",
                            name, size, LG_VERSION);
    memcpy((char *)options + sizeof size, (const char *)given + sizeof size,
           common - sizeof size);
    return LG_OK;
}

const char *
lg_version(void)
{
    return LG_VERSION;
}
