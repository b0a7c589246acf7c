/* test/fuzz/hostile.h - makes result files as a stranger may send them: files whose schema would run code, whose values
 * have wrong types, or whose pages are damaged on purpose. */
#ifndef WEIR_TEST_HOSTILE_H
#define WEIR_TEST_HOSTILE_H
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

struct hostile_plan { /* bytes that decide; when they are used up, every further draw is 0 */
    const uint8_t *data;
    size_t size, used;
};

struct hostile { /* the file on its way */
    struct hostile_plan *plan;
    struct sqlite3 *db; /* NULL for the functions that change bytes of the closed file */
    const char *path;
    const char *victim; /* a file that no command may change or remove */
};

/* Draws a number below n. n: 1 .. 65536 */
uint32_t hostile_draw(struct hostile_plan *plan, uint32_t n);

/**
 * Copies a result file and changes the copy.
 * @param sound   a result file that weir has written, closed
 * @param path    of the copy; what is beside it (-wal, -journal) is removed
 * @param victim  a file that exists; some copies name it
 * @param what    filled in with the names of the changes, separated by ", "
 */
void hostile_make(const char *sound, const char *path, const char *victim, struct hostile_plan *plan, char *what,
                  size_t what_bytes);

/* Copies a file that nobody writes. What is beside the copy (-wal, -shm, -journal) is removed. */
void hostile_copy(const char *from, const char *to);

/* Returns the name of the kind of change that byte `kind` of a plan means; NULL = there are no more. */
const char *hostile_kind(uint32_t kind);

/* hostile_pages.c: changes of the closed file, byte by byte */
void hostile_cell(struct hostile *h);    /* a cell of 500 MB, in a file with as many bytes, which has few blocks */
void hostile_circle(struct hostile *h);  /* a page number is replaced by another, so that pages may form a circle */
void hostile_bytes(struct hostile *h);   /* some bytes are others */
void hostile_header(struct hostile *h);  /* some bytes of the file's header are others */
void hostile_cut(struct hostile *h);     /* the file ends early */
void hostile_long(struct hostile *h);    /* the file ends late: 500 MB of zeros, which take no blocks */
void hostile_journal(struct hostile *h); /* a rollback journal lies beside it, whose transaction names the victim */
void hostile_log(struct hostile *h);     /* any bytes as a write-ahead log beside it */
#endif
