/* examples/kv/kv.h - a small key-value store on several servers, over libweir or over TCP: the same program and the same
 * requests, so that figures of the two transports measure the same thing.
 *
 * A request is enum kv_op (1 byte), the length of the key (1 byte), the key, and for a put the value. A reply is the
 * value of a get, or an error of enum kv_error. The client chooses the server by a hash of the key. */
#ifndef KV_H
#define KV_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define KV_NS_PER_S UINT64_C(1000000000)
enum {
    KV_KEY_MAX = 255,        /* bytes */
    KV_HEAD_MAX = 2 + 255,   /* of a request, before the value */
    KV_VALUE_MAX = 4 << 20,  /* bytes */
    KV_RX_BYTES = 64 << 20,  /* most memory of one end for messages that arrive */
    KV_CALLS_MAX = 16384,    /* most calls of one client in progress */
    KV_SERVERS_MAX = 250,    /* most servers of one client */
    KV_CONNECTIONS_MAX = 16, /* most TCP connections of a client to one server */
    KV_CLIENTS_MAX = 4096,   /* most clients of a server, over TCP connections */
    KV_WHY_MAX = 256         /* bytes of a sentence on what went wrong */
};

enum kv_op { KV_GET = 1, KV_PUT, KV_DELETE };
enum kv_error { KV_NO_KEY = 1, KV_FULL, KV_BAD_REQUEST, KV_ERRORS }; /* errors of the server, none of the transport */

/* --- values: shared, because a reply on its way still needs a value that was replaced meanwhile --- */

struct kv_budget { /* memory that may be used, and that is in use; bytes */
    size_t most, used;
};

struct kv_value {
    struct kv_budget *budget; /* NULL = it counts nowhere */
    size_t bytes;
    uint32_t owners;
    unsigned char data[];
};

/* Makes a value that the caller owns. budget: NULL, or what it counts for. @return NULL: the budget is exceeded, or there
 * is no memory */
struct kv_value *kv_value_new(struct kv_budget *budget, const void *data, size_t bytes);
/* Adds an owner. NULL is allowed. @return value */
struct kv_value *kv_value_own(struct kv_value *value);
/* Removes an owner; the last one frees it. NULL is allowed. */
void kv_value_drop(struct kv_value *value);

/* --- the store --- */

struct kv_store;

/* Makes an empty store, for at most most_bytes of keys, values and their records. @return NULL: no memory */
struct kv_store *kv_store_new(size_t most_bytes);
void kv_store_free(struct kv_store *s);
/* Executes a request. *value: of a get that succeeds, for the caller to drop; else NULL. @return 0 or enum kv_error */
int kv_store_execute(struct kv_store *s, const unsigned char *request, size_t bytes, struct kv_value **value);

struct kv_counts { /* of a store */
    uint64_t keys, used_bytes;
    uint64_t done[KV_DELETE + 1]; /* requests that succeeded, by enum kv_op */
    uint64_t errors[KV_ERRORS];
};
struct kv_counts kv_store_counts(const struct kv_store *s);

/* --- transports --- */

struct kv_options {       /* of an end */
    const char *bind;     /* ADDRESS:PORT of a server; NULL = a client */
    const char *cc;       /* congestion control, by the transport's own name; NULL = its default */
    uint64_t link_bps;    /* libweir: rate of this host's link; 0 = it is measured */
    uint64_t timeout_ns;  /* of a call, from kv_transport.call() to its reply */
    uint32_t connections; /* TCP: to each server */
};

struct kv_handler { /* what an end tells its program, inside of poll() alone */
    void *context;
    /* Answers a request. data is lent until the function returns. *value: the reply, with an owner for the transport;
     * or NULL. @return 0 or enum kv_error */
    int (*called)(void *context, const unsigned char *data, size_t bytes, struct kv_value **value);
    /* Ends a call: with 0, enum kv_error, or a negative errno. data is the reply, lent until the function returns */
    void (*ended)(void *context, uint64_t tag, int result, const unsigned char *data, size_t bytes);
};

struct kv_request {
    uint64_t tag; /* of the program, for ended() */
    uint32_t server;
    enum kv_op op;
    const char *key;
    struct kv_value *value; /* of a put; it gets an owner */
};

struct kv_transport {
    const char *name;
    /* Opens an end. handler stays the caller's. @return 0, or -1 with a sentence in why */
    int (*open)(void **end, const struct kv_options *options, const struct kv_handler *handler, char *why);
    /* Writes the address of a server's end. */
    int (*address)(void *end, struct sockaddr_storage *at);
    /* Adds a server of a client. Servers are numbered from 0 on. @return 0 or a negative errno */
    int (*add_server)(void *end, const struct sockaddr_storage *at);
    /* Starts a call. Each accepted one ends in one ended(). @return 0; -EAGAIN: no room before the next poll() */
    int (*call)(void *end, const struct kv_request *request);
    /* Makes progress, and waits for some for up to timeout_ns (below 0 = without end). @return 0 or a negative errno */
    int (*poll)(void *end, int64_t timeout_ns);
    /* Ends a poll() that waits, or the next one. A signal handler may call this. */
    void (*wake)(void *end);
    /* Takes nothing new from now on. @return true while something that has begun is not complete: poll() goes on */
    bool (*finish)(void *end);
    void (*close)(void *end);
    /* Returns a sentence for a result below 0. */
    const char *(*why)(int result);
};

extern const struct kv_transport kv_weir, kv_tcp;

/* Writes what precedes the value in a request. head: of KV_HEAD_MAX bytes. @return its length */
size_t kv_write_head(unsigned char *head, const struct kv_request *request);
/* Returns the time of CLOCK_MONOTONIC. */
uint64_t kv_now_ns(void);

/* --- commands --- */

struct kv_args { /* the command line */
    const struct kv_transport *transport;
    struct kv_options end;
    struct sockaddr_storage server[KV_SERVERS_MAX];
    const char *server_text[KV_SERVERS_MAX];
    uint32_t servers;
    const char *key, *value; /* value: NULL = standard input */
    uint64_t memory_bytes;
    uint64_t keys, value_bytes, writes_ppm, rate_milli, outstanding, seed, count;
    uint64_t duration_ns, warmup_ns;
    uint64_t multi_ns, multi_bytes; /* multi_ns: from one multi-get to the next; 0 = none */
    bool no_fill, json;
};

/* Reads "ADDRESS:PORT" or "[ADDRESS]:PORT". @return 0 or -EINVAL */
int kv_address_read(const char *text, struct sockaddr_storage *at);
/* Writes "ADDRESS:PORT". text: of 64 bytes */
void kv_address_write(const struct sockaddr_storage *at, char *text);
/* Returns which of n servers has a key. */
uint32_t kv_server_of(const char *key, uint32_t n);
const char *kv_error_text(int error);

/* Opens an end; prints why if that fails. */
int kv_open(const struct kv_args *args, void **end, const struct kv_handler *handler);
/* Lets SIGINT and SIGTERM wake an end, once: a second one ends the program at once. */
void kv_catch_signals(const struct kv_transport *transport, void *end);
/* Returns the signal that has come; 0 = none. */
int kv_signal(void);

/* Each returns an exit status: 0 done, 1 the server refused, 2 the end cannot be opened as asked, 3 no server, or memory or
 * the network failed. */
int kv_serve(const struct kv_args *args);
int kv_client(const struct kv_args *args, enum kv_op op);
int kv_load(const struct kv_args *args);
#endif
