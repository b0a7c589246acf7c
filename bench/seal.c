/* bench/seal.c - what protection costs: nanoseconds of the processor per packet, for each cipher, mode and size, and for the window of
 * counters, the key of an epoch and a handshake. One JSON line each. The least of ROUNDS rounds counts, because others use the machine. */
#include "bench/bench.h"
#include "seal/derive.h"
#include "seal/noise.h"
#include "seal/packet.h"
#include <string.h>

enum { ROUNDS = 300, PACKETS = 128, CALLS = 10000, HEAD = 40, BODY_MAX = 1372, HANDSHAKES = 100 };

static uint8_t datagram[PACKETS][HEAD + BODY_MAX + WEIR_TAG_BYTES], payload[BODY_MAX],
    secret[WEIR_KEY_BYTES] = { 1, 2, 3 };
static uint64_t seen[2][WEIR_REPLAY_U64S(WEIR_REPLAY_MAX)], counts[WEIR_OPEN_RESULTS];
static const char *const cipher_name[] = {
    [WEIR_CIPHER_AES_GCM] = "aes-256-gcm", [WEIR_CIPHER_CHACHA] = "chacha20-poly1305"
};
static const char *const mode_name[] = { [WEIR_PROTECT_MAC] = "mac", [WEIR_PROTECT_AEAD] = "aead" };

static double least(double best, double found)
{
    return found < best ? found : best;
}

/* bytes: of the datagram without the tag. */
static void packets(enum weir_protection mode, enum weir_cipher cipher, uint32_t bytes)
{
    struct weir_seal tx, rx;
    double sealed = 1e9, opened = 1e9;
    weir_seal_init(&tx, mode, cipher, true, secret, seen[0], 4096);
    weir_seal_init(&rx, mode, cipher, false, secret, seen[1], 4096);
    for (int round = 0; round < ROUNDS; round++) {
        double begin, middle;
        begin = bench_s(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < PACKETS; i++)
            weir_seal_packet(&tx, datagram[i], &(struct weir_seal_range){ 0, HEAD, bytes }, payload);
        middle = bench_s(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < PACKETS; i++)
            if (weir_seal_open(&rx, datagram[i], bytes + WEIR_TAG_BYTES, 0, HEAD, counts) != WEIR_OPENED)
                bench_die(&(struct weir_err){ .text = "a packet is not opened" });
        opened = least(opened, (bench_s(CLOCK_PROCESS_CPUTIME_ID) - middle) / PACKETS);
        sealed = least(sealed, (middle - begin) / PACKETS);
    }
    (void)printf("{\"bench\": \"seal\", \"cipher\": \"%s\", \"mode\": \"%s\", \"bytes\": %u, \"seal_ns\": %.0f, "
                 "\"open_ns\": %.0f}\n",
                 cipher_name[cipher], mode_name[mode], (unsigned)bytes, sealed * 1e9, opened * 1e9);
}

static void handshake(enum weir_cipher cipher)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS / 20; round++) {
        double begin = bench_s(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < HANDSHAKES; i++) {
            struct weir_noise a, b;
            struct weir_noise_keys keys;
            uint8_t message[WEIR_NOISE_OVERHEAD];
            weir_noise_init(&a, cipher, true, secret, secret, (struct weir_bytes){ payload, 100 });
            weir_noise_init(&b, cipher, false, secret, secret, (struct weir_bytes){ payload, 100 });
            if (!weir_noise_write(&a, NULL, 0, message) || !weir_noise_read(&b, message, sizeof(message), NULL) ||
                !weir_noise_write(&b, NULL, 0, message) || !weir_noise_read(&a, message, sizeof(message), NULL))
                bench_die(&(struct weir_err){ .text = "a handshake fails" });
            weir_noise_finish(&a, &keys);
            weir_noise_finish(&b, &keys);
        }
        best = least(best, (bench_s(CLOCK_PROCESS_CPUTIME_ID) - begin) / HANDSHAKES);
    }
    (void)printf("{\"bench\": \"handshake\", \"cipher\": \"%s\", \"both_ends_us\": %.0f}\n", cipher_name[cipher],
                 best * 1e6);
}

static void rest(void)
{
    double window = 1e9, key = 1e9, mac = 1e9;
    for (int round = 0; round < ROUNDS / 20; round++) {
        struct weir_replay w;
        uint8_t out[WEIR_KEY_BYTES];
        double begin = bench_s(CLOCK_PROCESS_CPUTIME_ID), at[2];
        weir_replay_init(&w, seen[0], 4096);
        for (uint64_t c = 1; c <= CALLS; c++)
            if (weir_replay_test(&w, c) == WEIR_REPLAY_NEW)
                weir_replay_note(&w, c);
        at[0] = bench_s(CLOCK_PROCESS_CPUTIME_ID);
        for (uint64_t i = 0; i < CALLS; i++)
            weir_derive_packet_key(out, secret, 0, i);
        at[1] = bench_s(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < CALLS; i++)
            weir_hello_mac(out, secret, (struct weir_bytes){ payload, 200 });
        mac = least(mac, (bench_s(CLOCK_PROCESS_CPUTIME_ID) - at[1]) / CALLS);
        key = least(key, (at[1] - at[0]) / CALLS);
        window = least(window, (at[0] - begin) / (CALLS));
    }
    (void)printf("{\"bench\": \"window\", \"packet_ns\": %.1f}\n{\"bench\": \"key of an epoch\", \"ns\": %.0f}\n"
                 "{\"bench\": \"MAC of a HELLO of 200 B\", \"ns\": %.0f}\n",
                 window * 1e9, key * 1e9, mac * 1e9);
}

int main(void)
{
    static const uint32_t sizes[] = { 40, 104, HEAD + BODY_MAX };
    if (!weir_crypto_ready())
        bench_die(&(struct weir_err){ .text = "built without libsodium" });
    for (int cipher = WEIR_CIPHER_AES_GCM; cipher <= WEIR_CIPHER_CHACHA; cipher++) {
        if (!weir_crypto_has((enum weir_cipher)cipher))
            continue;
        for (int mode = WEIR_PROTECT_MAC; mode <= WEIR_PROTECT_AEAD; mode++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                packets((enum weir_protection)mode, (enum weir_cipher)cipher, sizes[i]);
        handshake((enum weir_cipher)cipher);
    }
    rest();
    return 0;
}
