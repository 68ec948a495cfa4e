// The verbs that need Python, and how to start it: `leakgraph run SCRIPT`.

#include "command/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const methods[] = {"auto", "remote-exec", "ptrace", NULL};

static const lg__option_face of_run[] = {
    {"at-exit", true, NULL},      {"at-return", true, NULL},
    {"arm", true, NULL},          {"signal", true, NULL},
    {"rss", true, NULL},          {"keep", true, NULL},
    {"contents", false, NULL},    {"native", false, NULL},
    {"allocations", false, NULL}, {"help", false, NULL},
    {NULL, false, NULL},
};

static const lg__option_face of_watch[] = {
    {"samples", true, NULL}, {"every", true, NULL},  {"budget", true, NULL},
    {"traces", false, NULL}, {"signal", true, NULL}, {"report", true, NULL},
    {"help", false, NULL},   {NULL, false, NULL},
};

static const lg__option_face of_attach[] = {
    {"o", true, NULL},         {"report", true, NULL},
    {"diff", true, NULL},      {"every", true, NULL},
    {"samples", true, NULL},   {"settled", false, NULL},
    {"contents", false, NULL}, {"native", false, NULL},
    {"timeout", true, NULL},   {"method", true, methods},
    {"filtered", false, NULL}, {"help", false, NULL},
    {NULL, false, NULL},
};

static const lg__option_face of_tree[] = {
    {"o", true, NULL},         {"json", false, NULL},
    {"min-bytes", true, NULL}, {"timeout", true, NULL},
    {"filtered", false, NULL}, {"help", false, NULL},
    {NULL, false, NULL},
};

static const lg__option_face of_sql[] = {
    {"json", false, NULL}, {"help", false, NULL}, {NULL, false, NULL}};

static const lg__option_face of_mcp[] = {{"help", false, NULL},
                                         {NULL, false, NULL}};

static const lg__python_verb python_verbs[] = {
    {"run", "run a script and save a snapshot when it exits", of_run, true},
    {"watch", "run a script and report what grows", of_watch, true},
    {"attach", "take a snapshot of a running process", of_attach, false},
    {"tree", "see what a running process and its children hold and share",
     of_tree, false},
    {"sql", "query the tables of a snapshot with DuckDB", of_sql, false},
    {"mcp", "serve a snapshot to an agent", of_mcp, false},
};

const lg__python_verb *
lg__python_verb_at(size_t index)
{
    size_t count = sizeof python_verbs / sizeof *python_verbs;
    return index < count ? &python_verbs[index] : NULL;
}

const lg__python_verb *
lg__python_verb_find(const char *name)
{
    size_t i = 0;
    while (lg__python_verb_at(i) && strcmp(name, lg__python_verb_at(i)->name))
        i++;
    return lg__python_verb_at(i);
}

static const lg__python_verb *
find_script_verb(const char *name)
{
    const lg__python_verb *verb = lg__python_verb_find(name);
    return verb && verb->script ? verb : NULL;
}

static bool
takes_value(const lg__python_verb *verb, const char *name)
{
    const lg__option_face *option = verb ? verb->options : NULL;
    while (option && option->name && strcmp(option->name, name))
        option++;
    return (option && option->takes_value) || !strcmp(name, LG__COLOR);
}

const char *
lg__option_name(const char *word)
{
    if (word[0] != '-' || !word[1])
        return NULL;
    return word[1] == '-' ? word + 2 : word + 1;
}

size_t
lg__script_at(char *const *words, size_t count)
{
    const lg__python_verb *verb = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *name = lg__option_name(words[i]);
        if (verb && (!name || !strcmp(name, "m")))
            return i;
        if (!name && !(verb = find_script_verb(words[i])))
            return count;
        i += name && takes_value(verb, name);
    }
    return count;
}

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
