/**
 * Memory for an object that is a variable of a library. No memory that the
 * collector allocated lies before it.
 */
char variable_object[256] __attribute__((aligned(64))) = {1};
