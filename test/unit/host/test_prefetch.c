/* test/unit/host/test_prefetch.c - looks ahead may ask about anything, known or not, at any time, and change nothing. */
#include "pair.h"
#include "swarm.h"

static const uint32_t numbers[] = { 0, 1, 2, 3, 63, 64, 65, 1000, 4095, 1 << 20, UINT32_MAX - 1, UINT32_MAX };
enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

/* Every kind of packet, of every peer, message and connection that there is, and of more that there are not. */
static void look_at_everything(const struct weir_host *h)
{
    for (uint32_t i = 0; i < NUMBERS * NUMBERS * 8; i++) {
        uint32_t src = numbers[i % NUMBERS], number = numbers[i / NUMBERS % NUMBERS], kind = i / NUMBERS / NUMBERS;
        struct weir_pkt pkt = {
            .kind = kind & 15u, .src = (uint16_t)src, .msg = number, .conn = number, .seq = number
        };
        weir_host_rx_prefetch(h, &pkt);
        weir_host_send_prefetch(h, src);
    }
}

static void look_after_swarm(struct swarm *s)
{
    for (uint32_t i = 0; i < s->hosts; i++)
        look_at_everything(s->host[i]);
}

static void look_after_pair(struct pair *p)
{
    look_at_everything(p->host[0]);
    look_at_everything(p->host[1]);
}

/* Four hosts send each other messages of one packet, of many, and of as many as take several round trips. */
static void exchange(void (*after)(struct swarm *), uint64_t *delivered_ps)
{
    struct swarm *s = swarm_reset(4);
    s->after = after;
    swarm_start(s);
    look_after_swarm(s);
    for (uint32_t i = 0; i < 12; i++)
        swarm_message(s, i * SWARM_US, i % 4, (i + 1 + i / 4) % 4, i % 3 == 0 ? 100 : i % 3 == 1 ? 9000 : 200000);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(s->finished, 12);
    for (uint32_t i = 0; i < 12; i++)
        delivered_ps[i] = s->msg[i].delivered_ps;
}

static void receiver_driven_hosts_do_the_same_looked_at_or_not(void **state)
{
    uint64_t plain[12], looked[12];
    (void)state;
    exchange(NULL, plain);
    exchange(look_after_swarm, looked);
    assert_memory_equal(plain, looked, sizeof(plain));
}

static void transfer(void (*after)(struct pair *), uint64_t *delivered_ps)
{
    struct pair *p = pair_reset();
    p->after = after;
    pair_start(p);
    look_after_pair(p);
    for (uint32_t i = 0; i < 5; i++)
        pair_send(p, i, PAIR_MSS * (1 + 20 * i));
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 5);
    for (uint32_t i = 0; i < 5; i++)
        delivered_ps[i] = p->delivered_ps[i];
}

static void hosts_with_connections_do_the_same_looked_at_or_not(void **state)
{
    uint64_t plain[5], looked[5];
    (void)state;
    transfer(NULL, plain);
    transfer(look_after_pair, looked);
    assert_memory_equal(plain, looked, sizeof(plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receiver_driven_hosts_do_the_same_looked_at_or_not),
        cmocka_unit_test(hosts_with_connections_do_the_same_looked_at_or_not),
    };
    return cmocka_run_group_tests_name("host/prefetch", tests, NULL, NULL);
}
