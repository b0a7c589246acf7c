/* src/transport/endpoint/keys.h - the pre-shared keys of an endpoint, MACs of handshakes under them, and the records of
 * peers that hold secrets. */
#ifndef WEIR_ENDPOINT_KEYS_H
#define WEIR_ENDPOINT_KEYS_H
#include "endpoint/endpoint.h"
#include "core/err.h"
#include "seal/keyfile.h"
#include "seal/noise.h"
#include "seal/packet.h"

#define EP_READY_KEYED_BYTES 124u /* of a READY that accepts, with keys */

/* Records that hold secrets of a peer. They are wiped when they are given back, and kept for reuse. */
enum ep_secret_kind {
    EP_SECRET_SEAL,
    EP_SECRET_OPENING,
    EP_SECRET_PENDING,
    EP_SECRET_REKEY,
    EP_SECRET_PATH,
    EP_SECRET_KINDS
};

struct ep_keys { /* what opts.key_file has, and records that are not in use */
    struct weir_keys file;
    uint8_t hello[WEIR_KEYS_MAX][WEIR_KEY_BYTES]; /* keys of MACs, one per key of the file */
    struct ep_secret *free[EP_SECRET_KINDS];      /* by enum ep_secret_kind */
    uint64_t rekey_pkts; /* so many packets one secret seals, then the connection gets another */
};

struct ep_secret { /* a record that is not in use */
    struct ep_secret *next;
};

struct ep_seal { /* a connection */
    struct weir_seal seal;
    char name[WEIR_KEY_NAME_MAX + 1]; /* of the key of its handshake */
    uint8_t phase;                    /* which secret of the connection: 0 = the first, then 1 .. 255, and 1 again */
    uint16_t key_number;              /* 0 = our file does not have it any more */
    uint64_t seen[];                  /* window of repeated packets: ep->replay_pkts bits */
};

struct ep_opening { /* the own handshake with a peer, from HELLO to READY */
    struct weir_noise noise;
    uint8_t message[WEIR_WIRE_NOISE_BYTES]; /* the Noise message of HELLO and OPEN */
    uint16_t key_number;
    uint8_t phase; /* of the secret that it is to yield */
};

/* Most handshakes of a peer that wait to be confirmed. Who repeats OPENs that it has recorded takes a place by each. */
#define EP_PENDING_MAX 4u
/* Time before one of them makes room for another: its initiator confirms READY within a round trip. */
#define EP_PENDING_PS WEIR_PS_PER_S

struct ep_pending {          /* a handshake of the peer, from READY to the first packet that its secret seals */
    struct ep_pending *next; /* an earlier one of the peer */
    uint8_t secret[WEIR_KEY_BYTES];
    uint64_t remote_token, own_token;
    uint64_t open_id;    /* ep_agree_id() of the OPEN that it answers */
    uint64_t since_ps;   /* when that came */
    uint16_t key_number; /* as in struct ep_seal */
    uint8_t cipher, phase;
    uint8_t ports; /* that the peer sends from */
    char name[WEIR_KEY_NAME_MAX + 1];
    uint8_t ready[EP_READY_KEYED_BYTES]; /* the READY, to be repeated as it was */
};

struct ep_rekey {         /* a connection that gets another secret, until a while after it has it: rekey.c */
    struct ep_seal *next; /* of the own handshake, until the peer has used it */
    struct ep_seal *last; /* the one before, which still opens packets */
    uint64_t by_ps;       /* when it must have happened; 0 = the connection is as it should be */
    uint64_t at_ps;       /* when the own handshake goes on */
    uint64_t last_ps;     /* when last is forgotten */
    uint32_t tries;       /* OPENs or PINGs sent */
};

#define EP_CHALLENGE_BYTES 48u /* of a sealed CHALLENGE */

struct ep_path { /* another address from which packets of a peer came: path.c */
    struct weir_net_addr addr;
    uint64_t value;        /* of CHALLENGE */
    uint64_t since_ps;     /* when the first packet came from there */
    uint64_t sent_ps;      /* when CHALLENGE was sent last; 0 = it was not */
    uint32_t credit_bytes; /* bytes that came from there, less those that went there */
};

/* Reads opts.protection and opts.key_file: sets ep->protection, ep->cipher and ep->keys. @return 0, or a negative
 * errno; err is filled in but for -ENOMEM */
int ep_keys_open(struct weir_ep *ep, struct weir_err *err);

/* Reads a file of keys in place of those that the endpoint has, which *old then has; the caller wipes it. @return 0, or
 * a negative errno: nothing has changed, and err is filled in but for -ENOMEM */
int ep_keys_replace(struct weir_ep *ep, const char *path, struct weir_keys *old, struct weir_err *err);

/* Wipes and frees keys and records. */
void ep_keys_close(struct weir_ep *ep);

/* Computes the MAC of a HELLO, OPEN or READY that was encoded without one, and writes it into the datagram. number: of
 * one of our keys */
void ep_keys_sign(const struct weir_ep *ep, uint32_t number, unsigned char *bytes, uint32_t length);

/* Tests the MAC of a HELLO, OPEN or READY, and takes it out of the datagram. @return the key, or NULL: there is no such
 * key, or the MAC is wrong */
const struct weir_key *ep_keys_verify(const struct weir_ep *ep, uint32_t number, unsigned char *bytes, uint32_t length);

/* Takes a record, zeroed. @return NULL = the heap has no more */
void *ep_keys_take(struct weir_ep *ep, enum ep_secret_kind kind);

/* Wipes a record and gives it back. record: NULL is allowed */
void ep_keys_give(struct weir_ep *ep, enum ep_secret_kind kind, void *record);

/* Returns the name of a protection: "mac". */
const char *ep_protection_name(uint32_t protection);
#endif
