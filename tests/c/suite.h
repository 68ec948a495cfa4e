/**
 * One program holds all tests of a folder: a change of the library links it
 * once. A source has one suite, and the program runs the suite that its first
 * argument names.
 */
#ifndef LG_SUITE_H
#define LG_SUITE_H

typedef struct test_suite {
    const char *name;
    int (*run)(int argc, char **argv);
    struct test_suite *next;
} test_suite;

/** Tells the runner of a suite, before main begins. The runner keeps the
 *  pointer. Two suites of one name end the program. */
void test_suite_add(test_suite *suite);

/** Opens the body of a suite, or of a program that tests call. It stands for
 *  `int main(int argc, char **argv)`: argv[0] is the name of the suite, and the
 *  result is the exit code. */
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
