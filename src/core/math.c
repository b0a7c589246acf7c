/* src/core/math.c - 64 x 64 / 64, log2 and exp2 in integers alone: no 128-bit type, no floats, no libc, no
 * count-leading-zeros instruction, because BPF has none of them.
 * log2 and exp2 are a table of 64 steps and a short series for the rest. Each table entry follows the rule beside it
 * and is checked against libm in the test; the series were cut where the next term falls below 2^-38 of the result. */
#include "core/math.h"
#include "core/assert.h"

static uint32_t leading_zeros(uint64_t x) /* x > 0 */
{
    uint32_t zeros = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        uint32_t skip = x >> (64 - step) == 0 ? step : 0;
        zeros += skip;
        x <<= skip;
    }
    return zeros;
}

/* One digit (32 bits) of a long division: den has its top bit set, rem < den. Knuth, TAOCP 2, 4.3.1, algorithm D. */
static uint64_t divide_digit(uint64_t *rem, uint64_t next, uint64_t den)
{
    uint64_t den_hi = den >> 32, den_lo = (uint32_t)den;
    uint64_t q = *rem / den_hi, r = *rem % den_hi;
    while (q >> 32 != 0 || q * den_lo > (r << 32 | next)) { /* the guess is at most 2 too large */
        q--;
        r += den_hi;
        if (r >> 32 != 0)
            break;
    }
    *rem = (*rem << 32 | next) - q * den; /* modulo 2^64: the difference is below den */
    return q;
}

uint64_t weir_mul_div_u64(uint64_t a, uint64_t b, uint64_t den)
{
    uint64_t hi = weir_mul_hi_u64(a, b), lo = a * b;
    WEIR_ASSERT(den != 0);
    if (hi == 0)
        return lo / den;
    if (hi >= den)
        return UINT64_MAX;
    uint32_t shift = leading_zeros(den);
    uint64_t rem = shift == 0 ? hi : hi << shift | lo >> (64 - shift); /* hi < den, so nothing is lost */
    lo <<= shift;
    den <<= shift;
    uint64_t q = divide_digit(&rem, lo >> 32, den) << 32;
    return q | divide_digit(&rem, (uint32_t)lo, den);
}

/* log2(1 + i / 64) * 2^62, rounded to nearest. */
static const uint64_t log2_table_q62[64] = {
    UINT64_C(0x0000000000000000), UINT64_C(0x016e79685c2d2299), UINT64_C(0x02d75a6eb1dfb0e6),
    UINT64_C(0x043ace27e8a7e6ad), UINT64_C(0x0598fdbeb244c59f), UINT64_C(0x06f210902b6aee99),
    UINT64_C(0x08462c466d3cf1cb), UINT64_C(0x099574f13c570d10), UINT64_C(0x0ae00d1cfdeb43d0),
    UINT64_C(0x0c2615e81781d97f), UINT64_C(0x0d67af16da7649f8), UINT64_C(0x0ea4f726192cb7e4),
    UINT64_C(0x0fde0b5c81340512), UINT64_C(0x111307dad30b75cb), UINT64_C(0x124407ab0e073982),
    UINT64_C(0x137124cea4cdecda), UINT64_C(0x149a784bcd1b8afe), UINT64_C(0x15c01a39fbd687a0),
    UINT64_C(0x16e221cd9d0cde58), UINT64_C(0x1800a563161c5433), UINT64_C(0x191bba891f1708b5),
    UINT64_C(0x1a33760a7f60509d), UINT64_C(0x1b47ebf73882a0a4), UINT64_C(0x1c592fad295b567e),
    UINT64_C(0x1d6753e032ea0efe), UINT64_C(0x1e726aa1e754d20c), UINT64_C(0x1f7a8568cb06cece),
    UINT64_C(0x207fb5172f32fe67), UINT64_C(0x21820a01ac754cb1), UINT64_C(0x228193f543ca873c),
    UINT64_C(0x237e623d2ba01bc7), UINT64_C(0x247883a84e4f9010), UINT64_C(0x2570068e7ef5a1e8),
    UINT64_C(0x2664f8d569394d91), UINT64_C(0x275767f54042cd9a), UINT64_C(0x284760fd30d552ce),
    UINT64_C(0x2934f0979a3715fd), UINT64_C(0x2a20230e1151f1bc), UINT64_C(0x2b09044d313a6787),
    UINT64_C(0x2bef9fe83c135d72), UINT64_C(0x2cd4011c8f11979a), UINT64_C(0x2db632d4ec3293b3),
    UINT64_C(0x2e963fac9c0ea78e), UINT64_C(0x2f7431f26a05c814), UINT64_C(0x305013ab7ce0e5b8),
    UINT64_C(0x3129ee960ddf1681), UINT64_C(0x3201cc2c000599fd), UINT64_C(0x32d7b5a5596bebe0),
    UINT64_C(0x33abb3faa02166cd), UINT64_C(0x347dcfe71c303da1), UINT64_C(0x354e11eb0029a6fa),
    UINT64_C(0x361c824d7990d7af), UINT64_C(0x36e9291eaa65b497), UINT64_C(0x37b40e398cfcdb6a),
    UINT64_C(0x387d3945c340aa67), UINT64_C(0x3944b1b952662c6c), UINT64_C(0x3a0a7eda4c112ce6),
    UINT64_C(0x3acea7c065d41dfc), UINT64_C(0x3b9133567fead8bd), UINT64_C(0x3c52285c1c02803f),
    UINT64_C(0x3d118d66c4d4e554), UINT64_C(0x3dcf68e36752a0fb), UINT64_C(0x3e8bc1179e0caa9d),
    UINT64_C(0x3f469c22ef8466c5),
};

/* 2^(i / 64) * 2^63, rounded to nearest. */
static const uint64_t exp2_table_q63[64] = {
    UINT64_C(0x8000000000000000), UINT64_C(0x8164d1f3bc030773), UINT64_C(0x82cd8698ac2ba1d7),
    UINT64_C(0x843a28c3acde4046), UINT64_C(0x85aac367cc487b15), UINT64_C(0x871f61969e8d1010),
    UINT64_C(0x88980e8092da8527), UINT64_C(0x8a14d575496efd9a), UINT64_C(0x8b95c1e3ea8bd6e7),
    UINT64_C(0x8d1adf5b7e5ba9e6), UINT64_C(0x8ea4398b45cd53c0), UINT64_C(0x9031dc431466b1dc),
    UINT64_C(0x91c3d373ab11c336), UINT64_C(0x935a2b2f13e6e92c), UINT64_C(0x94f4efa8fef70961),
    UINT64_C(0x96942d3720185a00), UINT64_C(0x9837f0518db8a96f), UINT64_C(0x99e0459320b7fa65),
    UINT64_C(0x9b8d39b9d54e5539), UINT64_C(0x9d3ed9a72cffb751), UINT64_C(0x9ef5326091a111ae),
    UINT64_C(0xa0b0510fb9714fc2), UINT64_C(0xa27043030c496819), UINT64_C(0xa43515ae09e6809e),
    UINT64_C(0xa5fed6a9b15138ea), UINT64_C(0xa7cd93b4e965356a), UINT64_C(0xa9a15ab4ea7c0ef8),
    UINT64_C(0xab7a39b5a93ed337), UINT64_C(0xad583eea42a14ac6), UINT64_C(0xaf3b78ad690a4375),
    UINT64_C(0xb123f581d2ac2590), UINT64_C(0xb311c412a9112489), UINT64_C(0xb504f333f9de6484),
    UINT64_C(0xb6fd91e328d17791), UINT64_C(0xb8fbaf4762fb9ee9), UINT64_C(0xbaff5ab2133e45fb),
    UINT64_C(0xbd08a39f580c36bf), UINT64_C(0xbf1799b67a731083), UINT64_C(0xc12c4cca66709456),
    UINT64_C(0xc346ccda24976407), UINT64_C(0xc5672a115506dadd), UINT64_C(0xc78d74c8abb9b15d),
    UINT64_C(0xc9b9bd866e2f27a3), UINT64_C(0xcbec14fef2727c5d), UINT64_C(0xce248c151f8480e4),
    UINT64_C(0xd06333daef2b2595), UINT64_C(0xd2a81d91f12ae45a), UINT64_C(0xd4f35aabcfedfa1f),
    UINT64_C(0xd744fccad69d6af4), UINT64_C(0xd99d15c278afd7b6), UINT64_C(0xdbfbb797daf23755),
    UINT64_C(0xde60f4825e0e9124), UINT64_C(0xe0ccdeec2a94e111), UINT64_C(0xe33f8972be8a5a51),
    UINT64_C(0xe5b906e77c8348a8), UINT64_C(0xe8396a503c4bdc68), UINT64_C(0xeac0c6e7dd24392f),
    UINT64_C(0xed4f301ed9942b84), UINT64_C(0xefe4b99bdcdaf5cb), UINT64_C(0xf281773c59ffb13a),
    UINT64_C(0xf5257d152486cc2c), UINT64_C(0xf7d0df730ad13bb9), UINT64_C(0xfa83b2db722a033a),
    UINT64_C(0xfd3e0c0cf486c175),
};

/* log2(1 + r) for r < 1/64, as Q69: the series log2(e) (r - r^2/2 + r^3/3 ..), six terms; the next is below 2^-44. */
static uint64_t log2_series_q69(uint64_t r_q38)
{
    /* a1 stands for log2(e) - 1 and is rounded down: a segment must not rise above the start of the next */
    const uint64_t a1_q32 = 0x71547652, a2_q32 = 0xb8aa3b29, a3_q32 = 0x7b1c2771, a4_q32 = 0x5c551d95,
                   a5_q32 = 0x49ddb144, a6_q32 = 0x3d8e13b8;
    uint64_t r_q32 = r_q38 >> 6; /* 26 bits, a_k 32 bits: the products fit */
    uint64_t tail_q32 = a5_q32 - (r_q32 * a6_q32 >> 32);
    tail_q32 = a4_q32 - (r_q32 * tail_q32 >> 32);
    tail_q32 = a3_q32 - (r_q32 * tail_q32 >> 32);
    tail_q32 = a2_q32 - (r_q32 * tail_q32 >> 32);
    uint64_t square_q44 = r_q38 * r_q38 >> 32; /* r below 2^32, the square below 2^64 */
    return (r_q38 << 31) + (r_q38 * a1_q32 >> 1) - (square_q44 * tail_q32 >> 7);
}

/* The mantissa is cut to 38 bits below the point: each step of it is worth more than the series can err, hence the
 * order is kept; and it costs 2^-37 of the 2^-29 allowed. */
uint64_t weir_log2_q32(uint64_t x)
{
    WEIR_ASSERT(x != 0);
    uint32_t zeros = leading_zeros(x);
    uint64_t frac_q38 = x << zeros << 1 >> 26; /* x = 2^(63 - zeros) * (1 + frac) */
    uint64_t i = frac_q38 >> 32, rest_q38 = (uint32_t)frac_q38;
    uint64_t r_q38 = rest_q38 * 64 / (64 + i); /* 1 + frac = (1 + i/64) (1 + r) */
    uint64_t sum_q62 = log2_table_q62[i] + (log2_series_q69(r_q38) >> 7);
    return ((uint64_t)(63 - zeros) << 32) + ((sum_q62 + (1u << 29)) >> 30);
}

uint64_t weir_exp2_q32(uint64_t x_q32)
{
    /* b_k = ln(2)^k / k! */
    const uint64_t b1_q32 = 0xb17217f8, b2_q32 = 0x3d7f7bff, b3_q32 = 0x0e35846c, b4_q32 = 0x0276556e;
    uint64_t whole = x_q32 >> 32, i = (uint32_t)x_q32 >> 26, g_q32 = x_q32 & ((1u << 26) - 1);
    WEIR_ASSERT(x_q32 <= UINT64_C(62) << 32);
    uint64_t tail_q32 = b3_q32 + (g_q32 * b4_q32 >> 32); /* 26 x 32 bits */
    tail_q32 = b2_q32 + (g_q32 * tail_q32 >> 32);
    tail_q32 = b1_q32 + (g_q32 * tail_q32 >> 32);
    uint64_t rise_q64 = g_q32 * tail_q32; /* 2^g - 1 for g < 1/64; the fifth term is below 2^-39 */
    uint64_t mantissa_q63 = exp2_table_q63[i] + weir_mul_hi_u64(exp2_table_q63[i], rise_q64);
    return ((mantissa_q63 >> (62 - whole)) + 1) >> 1;
}
