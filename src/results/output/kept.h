/* src/results/output/kept.h - a sample of the messages of a run, of bounded size, that has the tail whole.
 * Half of the rows are the slowest messages, by slowdown. The other half are drawn from all other messages by a hash of
 * the message's number, and each of them stands for as many messages as were left out. So neither the order in which
 * messages end nor the number of threads matters, and quantiles within the tail are exact. */
#ifndef WEIR_OUTPUT_KEPT_H
#define WEIR_OUTPUT_KEPT_H
#include "core/err.h"
#include "core/param.h"
#include "model/account.h"
#include "store/store.h"

#define WEIR_KEPT_MAX 1000000u /* most rows of a run: some 70 MB of file, 130 MB of memory */

/* The row of struct weir_options for --keep-messages N. field: uint32_t, 0 = not given */
#define WEIR_KEEP_OPTION(type, field)                                                                                  \
    WEIR_PARAM_NAMED(                                                                                                  \
        "--keep-messages", type, field, WEIR_KIND_U32, 1, WEIR_KEPT_MAX, 0,                                            \
        "how many messages the result file keeps of each run, the slowest first; a row takes some 70 bytes")

struct weir_kept_entry { /* a row in a heap, whose first entry has the least (key, id) */
    uint64_t key, id;    /* id: of the message */
    uint32_t row;
};

struct weir_kept_heap {
    struct weir_kept_entry *entry;
    uint32_t count, most;
};

struct weir_kept {
    struct weir_account_row *row; /* most + 1, of which free_row has no message that is kept; owned, as are the heaps */
    struct weir_kept_heap slowest, others; /* keys: slowdown in millionths; ones' complement of the hash */
    uint32_t most, free_row;
    uint64_t messages;         /* added, replies left out */
    uint64_t slowest_from_ppm; /* least slowdown of the slowest, set by weir_kept_each() */
};

/* Prepares an empty sample. most: 1 .. WEIR_KEPT_MAX. @return 0, or WEIR_E_MEMORY with err; *kept is then zeros */
int weir_kept_init(struct weir_kept *kept, uint32_t most, struct weir_err *err);

/* Adds a message that has ended. Ignores a reply. */
void weir_kept_add(struct weir_kept *kept, const struct weir_account_row *row);

/**
 * Calls take() for the rows of the sample, in the order of rows without a sample: by the time when the sender knew of
 * the end, then by number. Uses the sample up: it can only be freed.
 * @return false if take() returned false, which ends the calls
 */
bool weir_kept_each(struct weir_kept *kept, bool (*take)(void *ctx, const struct weir_store_message *message),
                    void *ctx);

/* Describes a sample that weir_kept_each() has used up, for table `kept`. */
struct weir_store_kept weir_kept_about(const struct weir_kept *kept);

/* Frees the memory of a sample, and sets *kept to zeros. To free twice is harmless. */
void weir_kept_free(struct weir_kept *kept);
#endif
