/* src/simulator/carrier/mpi.c - see mpi.h: the module. A message has a first part of fixed size, whose receive is
 * posted before anything is sent, and the rest, if there is one. */
#include "carrier/mpi.h"
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST_BYTES = 1 << 18, TAG_FIRST = 1, TAG_REST = 2, GRACE_S = 5 };

struct head { /* of a message */
    uint64_t bytes, number;
};

struct mpi_carrier {
    struct weir_carrier carrier;     /* first: a carrier is this struct */
    uint64_t number;                 /* of messages exchanged */
    unsigned char *sends, *receives; /* first parts, FIRST_BYTES for each rank */
    MPI_Request request[2 * WEIR_SIM_RANKS_MAX];
};

/* Ends the process: the module has no function of the program. */
_Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "weir-mpi: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

static int fails(struct weir_err *err, enum weir_err_code code, const char *text)
{
    *err = (struct weir_err){ .code = code };
    (void)snprintf(err->text, sizeof(err->text), "%s", text);
    return code;
}

static size_t first_of(size_t bytes)
{
    size_t room = FIRST_BYTES - sizeof(struct head);
    return bytes < room ? bytes : room;
}

/* Sends the first parts, and receives those of the others. */
static void exchange_first(struct mpi_carrier *m, const struct weir_buffer *out)
{
    int n = 0;
    for (uint32_t q = 0; q < m->carrier.ranks; q++)
        if (q != m->carrier.rank)
            (void)MPI_Irecv(m->receives + (size_t)q * FIRST_BYTES, FIRST_BYTES, MPI_BYTE, (int)q, TAG_FIRST,
                            MPI_COMM_WORLD, &m->request[n++]);
    for (uint32_t q = 0; q < m->carrier.ranks; q++) {
        unsigned char *at = m->sends + (size_t)q * FIRST_BYTES;
        const struct head head = { out[q].bytes, m->number };
        if (q == m->carrier.rank)
            continue;
        memcpy(at, &head, sizeof(head));
        if (out[q].bytes > 0)
            memcpy(at + sizeof(head), out[q].data, first_of(out[q].bytes));
        (void)MPI_Isend(at, (int)(sizeof(head) + first_of(out[q].bytes)), MPI_BYTE, (int)q, TAG_FIRST, MPI_COMM_WORLD,
                        &m->request[n++]);
    }
    (void)MPI_Waitall(n, m->request, MPI_STATUSES_IGNORE);
}

static int exchange(struct weir_carrier *c, const struct weir_buffer *out, struct weir_buffer *in, struct weir_err *err)
{
    struct mpi_carrier *m = (struct mpi_carrier *)c;
    int n = 0;
    m->number++;
    for (uint32_t q = 0; q < c->ranks; q++)
        if (q != c->rank && out[q].bytes > INT_MAX)
            return fails(err, WEIR_E_RANK, "a message between two ranks is longer than 2 GiB: use more ranks");
    exchange_first(m, out);
    for (uint32_t q = 0; q < c->ranks; q++) {
        const unsigned char *from = m->receives + (size_t)q * FIRST_BYTES;
        struct head head;
        size_t first;
        if (q == c->rank)
            continue;
        memcpy(&head, from, sizeof(head));
        if (head.number != m->number)
            return fails(err, WEIR_E_RANK, "two ranks are not at the same point of the simulation");
        in[q].bytes = 0;
        first = first_of(head.bytes);
        if (head.bytes > 0 && weir_buffer_grow(&in[q], head.bytes) == NULL)
            return fails(err, WEIR_E_MEMORY, "out of memory");
        if (first > 0)
            memcpy(in[q].data, from + sizeof(head), first);
        if (head.bytes > first)
            (void)MPI_Irecv(in[q].data + first, (int)(head.bytes - first), MPI_BYTE, (int)q, TAG_REST, MPI_COMM_WORLD,
                            &m->request[n++]);
        if (out[q].bytes > first_of(out[q].bytes))
            (void)MPI_Isend(out[q].data + first_of(out[q].bytes), (int)(out[q].bytes - first_of(out[q].bytes)),
                            MPI_BYTE, (int)q, TAG_REST, MPI_COMM_WORLD, &m->request[n++]);
    }
    (void)MPI_Waitall(n, m->request, MPI_STATUSES_IGNORE);
    return 0;
}

/* Ends MPI. If the simulation is not whole, all processes end: rank 0 has said why, and others leave it time for
 * that. */
static void close_mpi(struct weir_carrier *c, bool is_whole)
{
    struct mpi_carrier *m = (struct mpi_carrier *)c;
    (void)fflush(NULL);
    if (!is_whole && c->rank != 0)
        (void)sleep(GRACE_S);
    if (!is_whole)
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
    (void)MPI_Finalize();
    free(m->sends);
    free(m->receives);
    free(m);
}

/* Returns how many ranks are on this machine. */
static uint32_t ranks_here(void)
{
    MPI_Comm here;
    int size = 1;
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    (void)MPI_Comm_size(here, &size);
    (void)MPI_Comm_free(&here);
    return (uint32_t)size;
}

static int start(struct weir_carrier **out, struct weir_err *err)
{
    struct mpi_carrier *m = calloc(1, sizeof(*m));
    int ranks = 1, rank = 0, provided = 0;
    *out = NULL;
    if (m == NULL)
        return fails(err, WEIR_E_MEMORY, "out of memory");
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        free(m);
        return fails(err, WEIR_E_RANK, "MPI does not start");
    }
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    m->carrier = (struct weir_carrier){
        .ranks = (uint32_t)ranks, .rank = (uint32_t)rank, .here = ranks_here(), .exchange = exchange, .close = close_mpi
    };
    if (ranks > (int)WEIR_SIM_RANKS_MAX) {
        (void)MPI_Finalize();
        free(m);
        return fails(err, WEIR_E_RANGE, "mpirun has started more than 64 processes: a simulation has at most 64 ranks");
    }
    m->sends = malloc((size_t)ranks * FIRST_BYTES);
    m->receives = malloc((size_t)ranks * FIRST_BYTES);
    if (m->sends == NULL || m->receives == NULL) {
        close_mpi(&m->carrier, false);
        return fails(err, WEIR_E_MEMORY, "out of memory");
    }
    *out = &m->carrier;
    return 0;
}

/* Found by its name: WEIR_MPI_SYMBOL. */
extern const struct weir_mpi_module weir_mpi_module;
const struct weir_mpi_module weir_mpi_module = { .contract = WEIR_MPI_CONTRACT, .start = start };
