/**
 * One program contains all tests of a folder, so a change of the library links
 * only one program. Each source has one suite. The first argument of the
 * program names the suite to run.
 */
#ifndef LEAKGRAPH_SUITE_H
#define LEAKGRAPH_SUITE_H

typedef struct test_suite {
    const char *name;
    int (*run)(int argc, char **argv);
    struct test_suite *next;
} test_suite;

/** Registers a suite with the runner, before main begins. The runner keeps
 *  the pointer. Two suites with the same name end the program. */
void test_suite_add(test_suite *suite);

/** Opens the body of a suite, or of a program that tests call. It replaces
 *  `int main(int argc, char **argv)`: argv[0] is the name of the suite, and
 *  the result is the exit code. */
#define SUITE(name)                                                            \
    static int run_suite(int argc, char **argv);                               \
    __attribute__((constructor)) static void add_suite(void)                   \
    {                                                                          \
        static test_suite suite = {#name, run_suite, NULL};                    \
        test_suite_add(&suite);                                                \
    }                                                                          \
    static int run_suite(int argc __attribute__((unused)),                     \
                         char **argv __attribute__((unused)))

#endif
