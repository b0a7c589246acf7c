/* src/transport/endpoint/keys.c - see keys.h. An endpoint without protection has none of it. */
#include "endpoint/keys.h"
#include "endpoint/memory.h"
#include "seal/derive.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)WEIR_WIRE_MAC == (int)WEIR_PROTECT_MAC && (int)WEIR_WIRE_AEAD == (int)WEIR_PROTECT_AEAD,
               "the values are on the wire");
_Static_assert(WEIR_CIPHER_AES_GCM == 1 && WEIR_CIPHER_CHACHA == WEIR_WIRE_CIPHERS, "the values are on the wire");
_Static_assert(WEIR_WIRE_NOISE_BYTES == WEIR_NOISE_OVERHEAD, "no payload");
_Static_assert(WEIR_WIRE_NOISE_END_BYTES == WEIR_NOISE_OVERHEAD + WEIR_WIRE_AGREED_BYTES, "what was agreed");
_Static_assert(WEIR_WIRE_MAC_BYTES == WEIR_TAG_BYTES, "a whole MAC");

static const char *const names[] = { [WEIR_WIRE_NONE] = "none", [WEIR_WIRE_MAC] = "mac", [WEIR_WIRE_AEAD] = "aead" };
#define PROTECTIONS (sizeof(names) / sizeof(names[0]))

const char *ep_protection_name(uint32_t protection)
{
    WEIR_ASSERT(protection < PROTECTIONS);
    return names[protection];
}

static int refuse(struct weir_err *err, const char *hint, const char *text)
{
    (void)weir_fail(err, WEIR_E_RANGE, NULL, hint, "%s", text);
    return -EINVAL;
}

/* Reads opts.protection, and tests whether opts.key_file fits it. @return 0, or -EINVAL with err */
static int read_protection(struct weir_ep *ep, struct weir_err *err)
{
    uint8_t protection = 0;
    while (protection < PROTECTIONS && strcmp(ep->opts.protection, names[protection]) != 0)
        protection++;
    if (protection == PROTECTIONS) {
        (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, "there are none, mac and aead", "protection: '%.40s' is unknown",
                        ep->opts.protection);
        return -EINVAL;
    }
    ep->protection = protection;
    if (protection == WEIR_WIRE_NONE && ep->opts.key_file != NULL)
        return refuse(err, "set opts.protection to mac or aead, or leave opts.key_file out",
                      "opts.key_file names keys, and opts.protection is none");
    if (protection != WEIR_WIRE_NONE && ep->opts.key_file == NULL)
        return refuse(err, "set opts.key_file; weir key new FILE makes one",
                      "opts.protection needs keys, and opts.key_file names none");
    return 0;
}

/* Puts file and line into the sentence about a file of keys, as weir_open_error() has no other. @return -EINVAL */
static int name_file(struct weir_err *err)
{
    const struct weir_err inner = *err;
    const char *hint = inner.hint[0] != '\0' ? inner.hint : NULL;
    WEIR_ASSERT(inner.text[0] != '\0');
    if (inner.line != 0)
        (void)weir_fail(err, inner.code, NULL, hint, "key_file: %s:%u: %s", inner.file, (unsigned)inner.line,
                        inner.text);
    else
        (void)weir_fail(err, inner.code, NULL, hint, "key_file: %s: %s", inner.file, inner.text);
    return -EINVAL;
}

static void derive_hello_keys(struct ep_keys *keys)
{
    WEIR_ASSERT(keys->file.count <= WEIR_KEYS_MAX);
    for (uint32_t i = 0; i < keys->file.count; i++)
        weir_derive_hello_key(keys->hello[i], keys->file.key[i].bytes);
}

/* Reads the keys, and derives those of MACs. @return 0, -EINVAL or -ENOTSUP with err, or -ENOMEM */
static int read_keys(struct weir_ep *ep, struct weir_err *err)
{
    struct ep_keys *keys;
    if (weir_keys_possible(err) != 0)
        return -ENOTSUP;
    keys = ep_calloc(ep, 1, sizeof(*keys));
    if (keys == NULL)
        return -ENOMEM;
    ep->keys = keys;
    keys->rekey_pkts = WEIR_SEAL_PKTS_MAX;
    if (weir_keys_read(&keys->file, ep->opts.key_file, err) != 0)
        return name_file(err);
    derive_hello_keys(keys);
    ep->cipher = weir_crypto_has(WEIR_CIPHER_AES_GCM) ? WEIR_CIPHER_AES_GCM : WEIR_CIPHER_CHACHA;
    return 0;
}

int ep_keys_open(struct weir_ep *ep, struct weir_err *err)
{
    int code = read_protection(ep, err);
    if (code == 0 && ep->protection != WEIR_WIRE_NONE)
        code = read_keys(ep, err);
    return code;
}

int ep_keys_replace(struct weir_ep *ep, const char *path, struct weir_keys *old, struct weir_err *err)
{
    struct weir_keys *file;
    int code = 0;
    if (ep->keys == NULL)
        return refuse(err, "open it with mac or aead", "weir_rekey: opts.protection is none, so there are no keys");
    if (path == NULL)
        return refuse(err, NULL, "weir_rekey: no file is named");
    file = ep_calloc(ep, 1, sizeof(*file));
    if (file == NULL)
        return -ENOMEM;
    if (weir_keys_read(file, path, err) != 0) {
        code = name_file(err);
    } else {
        *old = ep->keys->file;
        ep->keys->file = *file;
        derive_hello_keys(ep->keys);
    }
    weir_keys_wipe(file);
    free(file);
    return code;
}

void ep_keys_close(struct weir_ep *ep)
{
    if (ep->keys == NULL)
        return;
    for (uint32_t i = 0; i < EP_SECRET_KINDS; i++) {
        while (ep->keys->free[i] != NULL) {
            struct ep_secret *record = ep->keys->free[i];
            ep->keys->free[i] = record->next;
            free(record);
        }
    }
    weir_crypto_wipe(ep->keys, sizeof(*ep->keys));
    free(ep->keys);
    ep->keys = NULL;
}

/* Returns the key of MACs of one of our keys. */
static const uint8_t *hello_key(const struct weir_ep *ep, const struct weir_key *key)
{
    return ep->keys->hello[key - ep->keys->file.key];
}

void ep_keys_sign(const struct weir_ep *ep, uint32_t number, unsigned char *bytes, uint32_t length)
{
    const struct weir_key *key = weir_keys_find(&ep->keys->file, number);
    unsigned char mac[WEIR_WIRE_MAC_BYTES];
    WEIR_ASSERT(key != NULL);
    weir_wire_take_mac(bytes, mac);
    weir_hello_mac(mac, hello_key(ep, key), (struct weir_bytes){ bytes, length });
    weir_wire_put_mac(bytes, length, mac);
}

const struct weir_key *ep_keys_verify(const struct weir_ep *ep, uint32_t number, unsigned char *bytes, uint32_t length)
{
    const struct weir_key *key = weir_keys_find(&ep->keys->file, number);
    unsigned char mac[WEIR_WIRE_MAC_BYTES], must[WEIR_WIRE_MAC_BYTES];
    WEIR_ASSERT(length >= WEIR_WIRE_FRONT_BYTES);
    if (key == NULL)
        return NULL;
    weir_wire_take_mac(bytes, mac);
    weir_hello_mac(must, hello_key(ep, key), (struct weir_bytes){ bytes, length });
    return weir_crypto_equal(mac, must, sizeof(mac)) ? key : NULL;
}

static size_t record_bytes(const struct weir_ep *ep, enum ep_secret_kind kind)
{
    if (kind == EP_SECRET_OPENING)
        return sizeof(struct ep_opening);
    if (kind == EP_SECRET_PENDING)
        return sizeof(struct ep_pending);
    if (kind == EP_SECRET_REKEY)
        return sizeof(struct ep_rekey);
    if (kind == EP_SECRET_PATH)
        return sizeof(struct ep_path);
    WEIR_ASSERT(kind == EP_SECRET_SEAL);
    return sizeof(struct ep_seal) + WEIR_REPLAY_U64S(ep->replay_pkts) * sizeof(uint64_t);
}

void *ep_keys_take(struct weir_ep *ep, enum ep_secret_kind kind)
{
    struct ep_secret *record = ep->keys->free[kind];
    if (record == NULL)
        return ep_calloc(ep, 1, record_bytes(ep, kind));
    ep->keys->free[kind] = record->next;
    record->next = NULL; /* the rest is zeros */
    return record;
}

void ep_keys_give(struct weir_ep *ep, enum ep_secret_kind kind, void *record)
{
    struct ep_secret *free_record = record;
    if (record == NULL)
        return;
    weir_crypto_wipe(record, record_bytes(ep, kind));
    free_record->next = ep->keys->free[kind];
    ep->keys->free[kind] = free_record;
}
