/* test/unit/seal/noise_vectors.h - published vectors of the handshake, of both ciphers.
 * Source: vectors/cacophony.txt of https://github.com/centromere/cacophony, commit e550baf233d0, in the public domain;
 * entries Noise_NNpsk0_25519_AESGCM_BLAKE2b and Noise_NNpsk0_25519_ChaChaPoly_BLAKE2b. Messages 0 and 1 are the
 * handshake; then both ends send in turns, the initiator first. Numbers are hexadecimal. */
#ifndef WEIR_TEST_NOISE_VECTORS_H
#define WEIR_TEST_NOISE_VECTORS_H
#include "seal/crypto.h"

enum { NOISE_MESSAGES = 6 };

static const char noise_prologue[] = "4a6f686e2047616c74";
static const char noise_psk[] = "54686973206973206d7920417573747269616e20706572737065637469766521";
static const char noise_initiator[] = "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a";
static const char noise_responder[] = "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b";

static const struct noise_vector {
    enum weir_cipher cipher;
    const char *handshake_hash;
    struct {
        const char *payload, *ciphertext;
    } message[NOISE_MESSAGES];
} noise_vectors[] = {
    { .cipher = WEIR_CIPHER_AES_GCM,
      .handshake_hash = "d73c5533886889dde8746bfcd5d0eb738dcc2321bcc0e05981cff516b7e8da25effe1be1e0168075ea4df017"
                        "c8e636f6012c55f726b466a5ae61bafdf6542ef2",
      .message = {
          { "4c756477696720766f6e204d69736573",
            "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944ab67782ba522df522e3b26fe"
            "c332f0247af54ca69936a856158422652c5f2f6c" },
          { "4d757272617920526f746862617264",
            "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f14480884357c12fca03369a584fdf46dd"
            "f33b8418701bb6c0fb9cf97743064e7dc9f9cc" },
          { "462e20412e20486179656b",
            "9c7cf240c92984f10f318283aad9fa98f5c609379329386bdcd041" },
          { "4361726c204d656e676572",
            "d10737813549738317379aa5a89afaa7709f09dea1e86863645037" },
          { "4a65616e2d426170746973746520536179",
            "50d6a3e902be8fb400fe88a3df63bfcb0f0f82d1829c5cadb09eaf58d2363ec110" },
          { "457567656e2042f6686d20766f6e2042617765726b",
            "f9291acf81dab96f88793a2885461fdf2b313fb54b9fbff07d695e0f5280646a75ff8a86ba" },
      } },
    { .cipher = WEIR_CIPHER_CHACHA,
      .handshake_hash = "ed5e9692d0ab507b6c2beec3f584fd5b127817a9d20b26cd50aa72c507260fa31aa7d88dd3723316338af37c"
                        "e0b4cfb2923aeb848bbf2b934911306f01ffc963",
      .message = {
          { "4c756477696720766f6e204d69736573",
            "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944ed63df2f5a12aee1185ee9c5"
            "0305f2ecf12421dcb53c047a63b784cf7c54a105" },
          { "4d757272617920526f746862617264",
            "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f1448088430e0fe7d5c0c9b92f7478716c"
            "8852f1b4f389edb75e3ebe546fafafd5b6f0f7" },
          { "462e20412e20486179656b",
            "0fe04b26dcfbb69f8a6a94c61f1a26ef88769218d32f5d17c068a6" },
          { "4361726c204d656e676572",
            "2239e0c540c01f09eb1f4cc5258fd5acfefff18a5a3773f21b7bfe" },
          { "4a65616e2d426170746973746520536179",
            "f216cb03d30fb8af1e561fe02a07552d09b416e27a75e62c77d193718b0bdaae9f" },
          { "457567656e2042f6686d20766f6e2042617765726b",
            "6e8baf98b944184dd7dc5ef14d8108cbeca626de118a5460f3308e294d61e17238bce29bd9" },
      } },
};
#endif
