/* test/twin/wire_send.c - see wire_send.h. */
#include "test/twin/wire_send.h"
#include "core/math.h"
#include "core/rng.h"
#include "raw/raw.h"
#include "test/twin/capture.h"
#include "test/twin/host_frames.h"
#include "text/clock.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOSTS_MAX = 256, FRAME_MIN = 14, FRAME_MAX = 3014, IP_AT = 14, UDP_AT = 34, GOOD_BYTES = 200 };

/* ---- devices ---- */

struct host_port {
    struct weir_raw *raw;
    uint64_t received;
    uint64_t marked; /* good frames of wire_throw() */
};

static struct host_port port[HOSTS_MAX];
static uint32_t ports;
static const char mark[] = "the last frame of this host"; /* in good frames */

static bool open_ports(int count, char **device)
{
    static const struct weir_raw_options options = { .kind = WEIR_RAW_TPACKET };
    struct weir_raw_device at;
    struct weir_err err;
    for (; ports < (uint32_t)count; ports++)
        if (weir_raw_device_read(&at, device[ports], &err) != 0 ||
            weir_raw_open(&port[ports].raw, &at, &options, &err) != 0) {
            (void)fprintf(stderr, "%s: %s\n", device[ports], err.text);
            return false;
        }
    return true;
}

/* Receives what has arrived. @return how many frames have in all */
static uint64_t take_all(void)
{
    struct weir_raw_frame frame[WEIR_RAW_LENT_MAX];
    uint64_t all = 0;
    for (uint32_t h = 0; h < ports; h++) {
        uint32_t count = weir_raw_rx(port[h].raw, frame, WEIR_RAW_LENT_MAX);
        for (uint32_t i = 0; i < count; i++)
            port[h].marked += frame[i].length == GOOD_BYTES &&
                              memcmp(frame[i].bytes + GOOD_BYTES - sizeof(mark), mark, sizeof(mark)) == 0;
        port[h].received += count;
        all += port[h].received;
    }
    return all;
}

/* Waits until a time; takes what arrives meanwhile. */
static void wait_until(uint64_t due_ns)
{
    uint64_t now_ns;
    while ((now_ns = weir_wall_ns()) < due_ns) {
        (void)take_all();
        if (due_ns - now_ns > 300000) {
            uint64_t ns = weir_min_u64(due_ns - now_ns - 200000, 1000000);
            (void)nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
        }
    }
}

/* Reads how many frames have left the switch, and receives them. @return an exit status */
static int receive(void)
{
    uint64_t expected = 0, received = 0, lost = 0, marked = 0, until_ns = weir_wall_ns() + UINT64_C(20000000000);
    char line[32];
    (void)fflush(stdout);
    if (fgets(line, sizeof(line), stdin) == NULL)
        return 1;
    expected = strtoull(line, NULL, 10);
    while ((received = take_all()) < expected && weir_wall_ns() < until_ns)
        (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    for (uint32_t h = 0; h < ports; h++) {
        lost += weir_raw_stats(port[h].raw)->rx_lost;
        marked += port[h].marked > 0;
        weir_raw_close(port[h].raw);
    }
    (void)printf("{\"received\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"marked\": %" PRIu64 "}\n", received, lost,
                 marked);
    return 0;
}

static const char *read_frames(struct capture *c, const char *path, uint32_t hosts)
{
    const char *wrong = capture_read(c, path);
    if (wrong == NULL && c->hosts != hosts)
        wrong = "another number of hosts";
    if (wrong != NULL)
        (void)fprintf(stderr, "%s: %s\n", path, wrong);
    return wrong;
}

/* ---- send ---- */

/* Sends all frames. @return how many the devices took */
static uint64_t send_all(const struct capture *c, uint64_t *late_ns)
{
    uint64_t start_ns = weir_wall_ns() + 1000000, sent = 0;
    for (uint32_t i = 0; i < c->frames; i++) {
        const struct capture_frame *f = &c->frame[i];
        uint64_t due_ns = start_ns + (f->at_ps - c->frame[0].at_ps) / WEIR_PS_PER_NS, now_ns;
        wait_until(due_ns);
        now_ns = weir_wall_ns();
        *late_ns = weir_max_u64(*late_ns, now_ns - due_ns);
        sent += weir_raw_tx(port[f->host].raw, f->bytes, f->length);
        weir_raw_kick(port[f->host].raw);
    }
    return sent;
}

int wire_send(int count, char **arg)
{
    struct capture c;
    uint64_t sent, late_ns = 0;
    if (read_frames(&c, arg[0], (uint32_t)count - 1) != NULL || !open_ports(count - 1, arg + 1))
        return 1;
    sent = send_all(&c, &late_ns);
    (void)printf("{\"sent\": %" PRIu64 ", \"late_max_us\": %.1f}\n", sent, (double)late_ns / 1e3);
    capture_free(&c);
    return receive();
}

/* ---- throw ---- */

struct thrown {
    const struct capture *c;
    uint64_t key, number; /* of random draws */
    unsigned char bytes[FRAME_MAX];
    uint32_t length;
};

static uint32_t draw(struct thrown *t, uint32_t below)
{
    return (uint32_t)weir_rng_below(weir_rng_at(t->key, t->number++), below);
}

static void put_random(struct thrown *t, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        t->bytes[i] = (unsigned char)draw(t, 256);
}

static uint16_t sum_of(const unsigned char *bytes, uint32_t length)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* Writes Ethernet's and IP's header of a packet of t->length bytes in all. */
static void put_headers(struct thrown *t, uint32_t from, uint32_t to, uint8_t protocol)
{
    unsigned char *ip = t->bytes + IP_AT;
    struct weir_mapping_address src = host_frames_address(from), dst = host_frames_address(to);
    uint32_t length = t->length - IP_AT;
    uint16_t sum;
    memset(t->bytes, 2, 12);
    t->bytes[12] = 8;
    t->bytes[13] = 0;
    memset(ip, 0, 20);
    ip[0] = 0x45;
    ip[1] = 2; /* ECT(0) */
    ip[2] = (unsigned char)(length >> 8);
    ip[3] = (unsigned char)length;
    ip[8] = 64;
    ip[9] = protocol;
    memcpy(ip + 12, src.bytes, 4);
    memcpy(ip + 16, dst.bytes, 4);
    sum = sum_of(ip, 20);
    ip[10] = (unsigned char)(sum >> 8);
    ip[11] = (unsigned char)sum;
}

/* Makes UDP of no endpoint, without checksum. */
static void make_good(struct thrown *t, uint32_t from)
{
    t->length = GOOD_BYTES;
    memset(t->bytes, 0, GOOD_BYTES);
    put_headers(t, from, (from + 1) % ports, 17);
    t->bytes[UDP_AT + 1] = t->bytes[UDP_AT + 3] = 9;
    t->bytes[UDP_AT + 5] = GOOD_BYTES - UDP_AT;
    memcpy(t->bytes + GOOD_BYTES - sizeof(mark), mark, sizeof(mark));
}

/* Takes a frame of the capture. @return its host, as a rule */
static uint32_t take_copy(struct thrown *t)
{
    const struct capture_frame *f = &t->c->frame[draw(t, t->c->frames)];
    t->length = (uint32_t)weir_min_u64(f->length, FRAME_MAX);
    memcpy(t->bytes, f->bytes, t->length);
    return draw(t, 16) == 0 ? draw(t, ports) : f->host;
}

/* Makes one of six kinds of frames; all but the last are broken, or may be. @return its host */
static uint32_t make_thrown(struct thrown *t)
{
    static const uint16_t types[] = { 0x0800, 0x86dd, 0x0806, 0x8100, 0x8808, 0 };
    static const uint8_t protocols[] = { 6, 17, 1, 58, 0 };
    uint32_t host = draw(t, ports), type;
    switch (draw(t, 6)) {
    case 0: /* random from Ethernet's header on, with a type that is known more often than by chance */
        t->length = FRAME_MIN + draw(t, FRAME_MAX - FRAME_MIN + 1);
        put_random(t, 0, t->length);
        type = types[draw(t, 6)];
        if (type != 0) {
            t->bytes[12] = (unsigned char)(type >> 8);
            t->bytes[13] = (unsigned char)type;
        }
        break;
    case 1: /* random behind a right header of IP */
        t->length = UDP_AT + draw(t, FRAME_MAX - UDP_AT + 1);
        put_headers(t, host, draw(t, ports), protocols[draw(t, 5)]);
        put_random(t, UDP_AT, t->length);
        break;
    case 2: /* random behind a right header of UDP, for endpoints */
        t->length = UDP_AT + 8 + draw(t, 400);
        put_headers(t, host, draw(t, ports), 17);
        put_random(t, UDP_AT, t->length);
        t->bytes[UDP_AT + 2] = WEIR_MAPPING_PORT >> 8;
        t->bytes[UDP_AT + 3] = WEIR_MAPPING_PORT & 0xff;
        t->bytes[UDP_AT + 4] = (unsigned char)((t->length - UDP_AT) >> 8);
        t->bytes[UDP_AT + 5] = (unsigned char)(t->length - UDP_AT);
        break;
    case 3: /* cut off */
        host = take_copy(t);
        t->length = FRAME_MIN + draw(t, t->length - FRAME_MIN);
        break;
    case 4: /* some bits are wrong */
        host = take_copy(t);
        for (uint32_t i = draw(t, 8) + 1; i > 0; i--)
            t->bytes[draw(t, draw(t, 2) == 0 ? 120 : t->length)] ^= (unsigned char)(1u << draw(t, 8));
        break;
    default:
        host = take_copy(t);
    }
    return host;
}

static void throw_one(const struct thrown *t, uint32_t host)
{
    while (!weir_raw_tx(port[host].raw, t->bytes, t->length)) {
        weir_raw_kick(port[host].raw);
        (void)take_all();
    }
    weir_raw_kick(port[host].raw);
}

int wire_throw(int count, char **arg)
{
    static struct thrown t;
    struct capture c;
    uint64_t frames = strtoull(arg[2], NULL, 10), rate = strtoull(arg[3], NULL, 10), start_ns;
    if (read_frames(&c, arg[0], (uint32_t)count - 4) != NULL || !open_ports(count - 4, arg + 4))
        return 1;
    t = (struct thrown){ .c = &c, .key = weir_mix_u64(strtoull(arg[1], NULL, 10)) };
    start_ns = weir_wall_ns();
    for (uint64_t i = 0; i < frames; i++) {
        uint32_t host = 0;
        if (rate > 0 && i % 64 == 0) /* in bursts of as many */
            wait_until(start_ns + i * UINT64_C(1000000000) / rate);
        if (rate > 0)
            host = make_thrown(&t);
        else
            make_good(&t, 0);
        throw_one(&t, host);
    }
    for (uint32_t h = 0; h < ports && rate > 0; h++, frames++) {
        make_good(&t, h);
        throw_one(&t, h);
    }
    (void)printf("{\"sent\": %" PRIu64 "}\n", frames);
    capture_free(&c);
    return receive();
}
