// Starts Python for the verbs that need it: `leakgraph run SCRIPT`.

#include "command/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Finds the interpreter that this command was installed with, if any.
static bool
find_beside(char *path, size_t room)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    *slash = '\0';
    int needed = snprintf(path, room, "%s/python3", self);
    return needed > 0 && (size_t)needed < room && !access(path, X_OK);
}

int
lg__run_python(char **argv)
{
    char beside[PATH_MAX];
    const char *python = getenv("LEAKGRAPH_PYTHON");
    if (!python || !*python)
        python = find_beside(beside, sizeof beside) ? beside : "python3";
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = calloc(count + 4, sizeof *words);
    if (!words) {
        lg__complain("memory ran out");
        return LG__EXIT_INCOMPLETE;
    }
    static char module_option[] = "-m", module[] = "leakgraph";
    char *name = strdup(python);
    words[0] = name;
    words[1] = module_option;
    words[2] = module;
    memcpy(words + 3, argv, count * sizeof *words);
    execvp(python, words);
    lg__complain("cannot start %s: %s; set LEAKGRAPH_PYTHON to the Python "
                 "that has leakgraph",
                 python, strerror(errno));
    free(name);
    free(words);
    return LG__EXIT_USAGE;
}
