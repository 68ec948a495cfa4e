// Finds the renderer, starting from the file that contains this code.

#include "render/find_renderer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folders to search, relative to that file's folder, separated by colons. */
#ifndef LEAKGRAPH_RENDERER_FOLDERS
#define LEAKGRAPH_RENDERER_FOLDERS "."
#endif

// Finds the folder of the extension module, or else of the program: the link
// map has no name for the program itself.
static bool
find_home(char home[PATH_MAX])
{
    Dl_info info;
    struct link_map *map = NULL;
    bool known = dladdr1((void *)(uintptr_t)lg__renderer_find, &info,
                         (void **)&map, RTLD_DL_LINKMAP) != 0;
    const char *file =
        known && map && map->l_name[0] ? map->l_name : "/proc/self/exe";
    if (!realpath(file, home))
        return false;
    char *slash = strrchr(home, '/');
    if (slash)
        *slash = '\0';
    return true;
}

static bool
is_in(const char *home, const char *folder, size_t length, char path[PATH_MAX])
{
    int wanted = snprintf(path, PATH_MAX, "%s/%.*s/leakgraph-render", home,
                          (int)length, folder);
    return wanted < PATH_MAX && !access(path, X_OK);
}

lg_status
lg__renderer_find(char path[PATH_MAX], lg_error *err)
{
    char home[PATH_MAX] = "";
    const char *given = secure_getenv("LEAKGRAPH_RENDERER");
    if (given && given[0] && strlen(given) < PATH_MAX) {
        memcpy(path, given, strlen(given) + 1);
        return LG_OK;
    }
    const char *at = find_home(home) ? LEAKGRAPH_RENDERER_FOLDERS : "";
    while (*at) {
        size_t length = strcspn(at, ":");
        if (is_in(home, at, length, path))
            return LG_OK;
        at += length + (at[length] == ':');
    }
    return lg_error_set(err, LG_ERENDER,
                        "leakgraph-render, which draws pictures, is not "
                        "installed with %s: build leakgraph with Graphviz (on "
                        "Debian: apt install libgraphviz-dev) or save as .dot",
                        home);
}
