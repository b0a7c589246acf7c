/* src/results/store/writer.c - see writer.h. The thread commits after the batch with which a transaction has 100000
 * rows, or a quarter of a second has passed since the last commit. A commit costs about a millisecond; rows that are
 * not committed are lost if the program ends. */
#include "store/writer.h"
#include "core/assert.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { BATCHES = 16, COMMIT_ROWS = 100000, COMMIT_NS = 250000000 };

enum batch_kind { BATCH_MESSAGES, BATCH_POINTS, BATCH_CLEAR };

struct batch {
    enum batch_kind kind;
    size_t count;
    union {
        struct weir_store_message message[WEIR_WRITER_BATCH_MESSAGES];
        struct weir_store_point point[WEIR_WRITER_BATCH_POINTS];
    } of;
};

struct weir_writer {
    struct weir_store *store;
    int64_t run;
    uint64_t (*now_ns)(void);
    pthread_t thread;
    /* used by the thread only */
    uint64_t committed_ns; /* end of the latest transaction; before the first one, start of the thread */
    size_t rows;           /* rows in the open transaction */
    bool in_transaction;
    /* shared, under the lock */
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    uint32_t first, waiting; /* index of the first batch that waits for the thread; number of batches that wait */
    bool closing;
    int code; /* code of the first failure; err has the text */
    struct weir_err err;
    struct batch batch[BATCHES]; /* the producer owns the batches that do not wait */
};

static size_t most_of(enum batch_kind kind)
{
    return kind == BATCH_MESSAGES ? WEIR_WRITER_BATCH_MESSAGES : kind == BATCH_POINTS ? WEIR_WRITER_BATCH_POINTS : 0;
}

static int write_batch(struct weir_writer *w, const struct batch *b, struct weir_err *err)
{
    WEIR_ASSERT(b->count <= most_of(b->kind));
    switch (b->kind) {
    case BATCH_MESSAGES:
        return weir_store_messages(w->store, w->run, b->of.message, b->count, err);
    case BATCH_POINTS:
        return weir_store_points(w->store, b->of.point, b->count, err);
    case BATCH_CLEAR:
        break;
    }
    return weir_store_points_clear(w->store, w->run, err);
}

static int finish_transaction(struct weir_writer *w, struct weir_err *err)
{
    int code = w->in_transaction ? weir_store_commit(w->store, err) : 0;
    if (code == 0) {
        w->in_transaction = false;
        w->rows = 0;
    }
    return code;
}

/* Writes a batch, beginning a transaction if none is open. Commits after COMMIT_ROWS rows, or COMMIT_NS after the last
 * commit. A transaction may stay open for long: if no further batch comes, only weir_writer_stop() ends it. */
static int take_batch(struct weir_writer *w, const struct batch *b, struct weir_err *err)
{
    int code = 0;
    if (!w->in_transaction) {
        code = weir_store_begin(w->store, err);
        if (code != 0)
            return code;
        w->in_transaction = true;
    }
    code = write_batch(w, b, err);
    if (code != 0)
        return code;
    w->rows += b->count;
    if (w->rows < COMMIT_ROWS && w->now_ns() - w->committed_ns < COMMIT_NS)
        return 0;
    code = finish_transaction(w, err);
    w->committed_ns = w->now_ns();
    return code;
}

/* Waits for the next batch and returns the batch. NULL = the writer is closing, and no batch is left */
static struct batch *wait_for_batch(struct weir_writer *w)
{
    struct batch *b;
    (void)pthread_mutex_lock(&w->lock);
    while (w->waiting == 0 && !w->closing)
        (void)pthread_cond_wait(&w->filled, &w->lock);
    b = w->waiting > 0 ? &w->batch[w->first] : NULL;
    (void)pthread_mutex_unlock(&w->lock);
    return b;
}

static void give_back(struct weir_writer *w, int code, const struct weir_err *err)
{
    (void)pthread_mutex_lock(&w->lock);
    WEIR_ASSERT(w->waiting > 0);
    w->first = (w->first + 1) % BATCHES;
    w->waiting--;
    if (code != 0) {
        w->code = code;
        w->err = *err;
    }
    (void)pthread_cond_signal(&w->emptied);
    (void)pthread_mutex_unlock(&w->lock);
}

static void *writer_main(void *arg)
{
    struct weir_writer *w = arg;
    struct weir_err err;
    int code = 0;
    const struct batch *b;
    while (code == 0 && (b = wait_for_batch(w)) != NULL) {
        code = take_batch(w, b, &err);
        give_back(w, code, &err);
    }
    if (code == 0 && (code = finish_transaction(w, &err)) != 0) {
        w->code = code; /* needs no lock: the other thread only waits for this one to end */
        w->err = err;
    }
    weir_store_rollback(w->store);
    return NULL;
}

/* Starts the thread with all signals blocked, so that other threads of the program receive them. Returns 0 or an
 * errno. */
static int start_thread(struct weir_writer *w)
{
    sigset_t all, before;
    int number;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    number = pthread_create(&w->thread, NULL, writer_main, w);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return number;
}

int weir_writer_start(struct weir_writer **writer, struct weir_store *store, int64_t run, uint64_t (*now_ns)(void),
                      struct weir_err *err)
{
    struct weir_writer *w = calloc(1, sizeof(*w));
    *writer = NULL;
    WEIR_ASSERT(now_ns != NULL);
    if (w == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for writing results");
    w->store = store;
    w->run = run;
    w->now_ns = now_ns;
    w->committed_ns = now_ns();
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->filled, NULL);
    (void)pthread_cond_init(&w->emptied, NULL);
    if (start_thread(w) != 0) {
        free(w);
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no thread for writing results can be started");
    }
    *writer = w;
    return 0;
}

/* Waits until a batch is free, sets its kind, and returns it: the batch behind those that wait. NULL = writing
 * failed */
static struct batch *reserve(struct weir_writer *w, enum batch_kind kind)
{
    struct batch *b = NULL;
    (void)pthread_mutex_lock(&w->lock);
    while (w->waiting == BATCHES && w->code == 0)
        (void)pthread_cond_wait(&w->emptied, &w->lock);
    if (w->code == 0) {
        b = &w->batch[(w->first + w->waiting) % BATCHES];
        b->kind = kind;
    }
    (void)pthread_mutex_unlock(&w->lock);
    return b;
}

struct weir_store_message *weir_writer_messages(struct weir_writer *writer)
{
    struct batch *b = reserve(writer, BATCH_MESSAGES);
    return b != NULL ? b->of.message : NULL;
}

struct weir_store_point *weir_writer_points(struct weir_writer *writer)
{
    struct batch *b = reserve(writer, BATCH_POINTS);
    return b != NULL ? b->of.point : NULL;
}

void weir_writer_push(struct weir_writer *w, size_t count)
{
    (void)pthread_mutex_lock(&w->lock);
    WEIR_ASSERT(w->waiting < BATCHES);
    w->batch[(w->first + w->waiting) % BATCHES].count = count;
    w->waiting++;
    (void)pthread_cond_signal(&w->filled);
    (void)pthread_mutex_unlock(&w->lock);
}

bool weir_writer_clear_points(struct weir_writer *writer)
{
    if (reserve(writer, BATCH_CLEAR) == NULL)
        return false;
    weir_writer_push(writer, 0);
    return true;
}

int weir_writer_stop(struct weir_writer *w, struct weir_err *err)
{
    int code;
    (void)pthread_mutex_lock(&w->lock);
    WEIR_ASSERT(!w->closing);
    w->closing = true;
    (void)pthread_cond_signal(&w->filled);
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    code = w->code;
    if (code != 0)
        *err = w->err;
    (void)pthread_cond_destroy(&w->emptied);
    (void)pthread_cond_destroy(&w->filled);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
    return code;
}
