/* test/unit/fault.h - calls of libc, libbpf and SQLite that fail when a test wants it. The linker's --wrap puts the functions of
 * fault.c in their place, for tests of the list `fault_tests` in meson.build: in what they call, and not in libraries. */
#ifndef WEIR_TEST_FAULT_H
#define WEIR_TEST_FAULT_H
#include "test/unit/refusal.h"

/* Makes the n-th call of a function fail from now on, counted from 1; 0 = none. number: errno, or what the function returns
 * where that is its error. A call of libbpf sets errno and returns -number. */
void fault_set(const char *call, uint32_t nth, int number);

/* Makes no call fail any more, and counts from 0 again. */
void fault_clear(void);

/* Returns how often a function was called since fault_set() or fault_clear(). */
uint32_t fault_calls(const char *call);

/* Makes calls neither count nor fail until the next fault_pause(false): those of the test itself. */
void fault_pause(bool paused);

/* Returns how many file descriptors are open. */
uint32_t fault_open_files(void);

#define FAULT_OR_DONE 0x10000 /* added to a code: or it returns 0, and act() has asserted that what it did is right */

struct fault_row {
    const char *call; /* "socket" */
    uint32_t nth;     /* the row is of this call and those after it, up to that of the function's next row */
    int number;       /* as of fault_set() */
    int code;         /* what act() returns then; 0 = it goes on without */
    const char *word; /* of its sentence; NULL = it sets none */
};

/* Does something that makes calls, and cleans up what it made. @return a code, with err; 0 = it was done */
typedef int fault_act(struct weir_err *err);

/* Runs act() first without a failure. Then, for each call of the functions in the rows that this made, it runs again, and the
 * call fails. Asserts that act() returns the code, with the word in its sentence; that it leaves no file open, no memory and no child.
 * Rows of one function stand together, the first has nth 1, and a row of a call that is never made fails. */
void fault_check(fault_act *act, const struct fault_row *rows, size_t count, const char *file, int line);

#define assert_faults(act, rows) fault_check(act, rows, sizeof(rows) / sizeof((rows)[0]), __FILE__, __LINE__)
#endif
