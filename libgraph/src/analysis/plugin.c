// Opens parts of the library that are shared objects of their own when they are
// first used.
#include <leakgraph/plugin.h>

#include <dlfcn.h>

lg_status
lg_plugin_open(const char *file, const char *symbol, const char *what,
               const char *remedy, void **out, lg_error *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *found = handle != NULL ? dlsym(handle, symbol) : NULL;
    if (found == NULL)
        return lg_error_set(err, LG_EUNSUPPORTED, "%s cannot be opened: %s; %s",
                            what, dlerror(), remedy);
    *out = found;
    return LG_OK;
}
