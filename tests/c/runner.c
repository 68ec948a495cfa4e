// Runs one suite: RUNNER SUITE [ARGUMENT...].
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static test_suite *suites;

static test_suite *
find(const char *name)
{
    test_suite *suite = suites;
    while (suite != NULL && strcmp(suite->name, name) != 0)
        suite = suite->next;
    return suite;
}

void
test_suite_add(test_suite *suite)
{
    if (find(suite->name) != NULL) {
        fprintf(stderr, "Two suites are named %s: rename one.\n", suite->name);
        exit(2);
    }
    suite->next = suites;
    suites = suite;
}

int
main(int argc, char **argv)
{
    test_suite *suite = argc > 1 ? find(argv[1]) : NULL;
    if (suite != NULL)
        return suite->run(argc - 1, argv + 1);
    fprintf(stderr, "Name one of these suites:\n");
    for (suite = suites; suite != NULL; suite = suite->next)
        fprintf(stderr, "  %s\n", suite->name);
    return 2;
}
