/* test/unit/mapping/test_make.c - frames of simulated packets: they are valid, and are read back as the same packets. */
#include "test/unit/mapping/mapping_fixture.h"

#define NOW (UINT64_C(5000) * WEIR_PS_PER_MS)
enum { PACKETS = 20000 };

static uint64_t drawn;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(fix_random(&drawn) % n);
}

static struct weir_mapping_form form_of(uint32_t version, uint32_t shape)
{
    return (struct weir_mapping_form){ .from = fix_address(version, 2),
                                       .to = fix_address(version, 3),
                                       .counter = 7,
                                       .now_ps = NOW,
                                       .udp_port = PORT,
                                       .shape = (uint8_t)shape };
}

/* Fills in what all packets have. */
static void draw_packet(struct weir_pkt *p, uint32_t kind)
{
    *p = (struct weir_pkt){ .conn = WEIR_PKT_CONN(fix_random(&drawn)),
                            .seq = (uint32_t)fix_random(&drawn),
                            .ack = (uint32_t)fix_random(&drawn),
                            .src = 2,
                            .dst = 3,
                            .kind = kind & 15u,
                            .flags = below(2) ? WEIR_PKT_ECT | (below(2) ? WEIR_PKT_CE : 0u) : 0u };
}

/* Sets the length on the wire: at least `least`. */
static void draw_length(struct weir_pkt *p, uint32_t least)
{
    p->wire_bytes = WEIR_PKT_BYTES(below(3) == 0 ? least : least + below(1538 - least));
}

static void check_same(const struct weir_pkt *want, uint32_t records, const struct weir_telemetry *hops)
{
    struct weir_pkt got = pkt;
    got.hash = want->hash; /* by addresses and ports: a frame has no other */
    assert_memory_equal(&got, want, sizeof(got));
    if (records > 0)
        assert_memory_equal(hop, hops, records * sizeof(*hops));
}

/* Makes the frame, checks it, and reads it. */
static void there_and_back(const struct weir_mapping_form *form, const struct weir_pkt *p,
                           const struct weir_telemetry *hops)
{
    uint32_t length = weir_mapping_make(&map, form, p, hops, frame);
    assert_int_equal(length, p->wire_bytes - 24);
    assert_true(fix_sums_are_right(frame));
    assert_int_equal(fix_read(2, length), WEIR_MAPPING_PACKET);
}

static void tcp_shaped_packets_come_back(void **state)
{
    (void)state;
    fix_begin((struct weir_mapping_fields){ .qdelay_unit_ps = 256 * WEIR_PS_PER_NS });
    drawn = 0;
    for (uint32_t i = 0; i < PACKETS; i++) {
        static const uint32_t classes[] = { 0, 1, 2, 3, 7 };
        struct weir_mapping_form form = form_of(below(2) ? 4 : 6, WEIR_SHAPE_TCP);
        struct weir_pkt p;
        uint32_t least;
        draw_packet(&p, below(2) ? WEIR_PKT_DATA : WEIR_PKT_ACK);
        form.option = below(2) != 0;
        p.conn -= p.conn == WEIR_PKT_NO_CONN;
        p.class_id = WEIR_PKT_CLASS(classes[below(5)]);
        p.flags |= p.kind == WEIR_PKT_ACK ? (below(2) ? WEIR_PKT_ECE : 0u) : (below(2) ? WEIR_PKT_CWR : 0u);
        p.qdelay = p.kind == WEIR_PKT_DATA && form.option ? (uint16_t)fix_random(&drawn) : 0;
        least = weir_mapping_least_bytes(&form, &p);
        draw_length(&p, least);
        if (p.kind == WEIR_PKT_DATA)
            p.payload_bytes = WEIR_PKT_BYTES(
                1 + below(p.wire_bytes - 24 - (form.from.version == 4 ? 54 : 74) - (form.option ? 8 : 0)));
        there_and_back(&form, &p, NULL);
        check_same(&p, 0, NULL);
        assert_int_equal(at.shape, WEIR_SHAPE_TCP);
    }
}

static const struct weir_mapping_fields field_sets[] = {
    { 0 }, { .qdelay_unit_ps = 64 * WEIR_PS_PER_NS }, { .records_max = 5 }, { .weights = true }, { .rates = true },
};

/* Fills in the fields of the area, and the area. */
static void draw_area(const struct weir_mapping_fields *f, struct weir_mapping_form *form, struct weir_pkt *p,
                      struct weir_telemetry *hops)
{
    bool is_data = p->kind == WEIR_PKT_DATA;
    form->area_kind = f->rates ? WEIR_WIRE_AREA_RCP : WEIR_WIRE_AREA_64NS;
    form->slots = f->records_max > 0 ? 5 : 0;
    p->tokens = is_data ? WEIR_PKT_TOKENS(below(8)) : 0;
    if (is_data && (f->qdelay_unit_ps != 0 || f->rates))
        p->qdelay = (uint16_t)fix_random(&drawn);
    if (is_data && (f->weights || f->rates))
        p->weight = (uint8_t)below(256);
    if (f->records_max == 0 || (!is_data && p->kind != WEIR_PKT_ACK))
        return;
    p->hops = (uint8_t)below(6);
    for (uint32_t i = 0; i < p->hops; i++)
        hops[i] = weir_telemetry_pack(NOW - below(2000000) * UINT64_C(1000), fix_random(&drawn) >> 24, below(1u << 24),
                                      below(3));
}

static void message_packets_come_back(void **state)
{
    (void)state;
    drawn = 1000000;
    for (uint32_t i = 0; i < PACKETS; i++) {
        const struct weir_mapping_fields *f = &field_sets[i / (PACKETS / 5)];
        struct weir_mapping_form form = form_of(below(2) ? 4 : 6, WEIR_SHAPE_WEIR);
        struct weir_telemetry hops[WEIR_TELEMETRY_HOPS_MAX];
        struct weir_pkt p;
        uint32_t least, type;
        if (i % (PACKETS / 5) == 0)
            fix_begin(*f);
        draw_packet(&p, below(WEIR_WIRE_KINDS));
        form.stream = below(2) != 0;
        type = weir_wire_type_of(p.kind, form.stream);
        p.value = fix_random(&drawn);
        if (p.kind == WEIR_PKT_DATA && (f->qdelay_unit_ps != 0 || f->rates))
            p.qdelay = 0;
        p.msg = (uint32_t)fix_random(&drawn);
        p.class_id = WEIR_PKT_CLASS(below(8));
        p.flags |= WEIR_PKT_FLAGS(fix_random(&drawn) & weir_wire_flags(type) & ~(uint32_t)(WEIR_PKT_ECT | WEIR_PKT_CE));
        if (below(4) != 0)
            draw_area(f, &form, &p, hops);
        least = weir_mapping_least_bytes(&form, &p);
        draw_length(&p, least);
        if (p.kind == WEIR_PKT_DATA)
            p.payload_bytes = WEIR_PKT_BYTES(1 + below(p.wire_bytes - least + 1));
        else if (p.kind == WEIR_PKT_ACK)
            p.share_count = WEIR_PKT_BYTES(fix_random(&drawn));
        there_and_back(&form, &p, hops);
        check_same(&p, f->records_max > 0 ? p.hops : 0, hops);
        assert_int_equal(at.shape, WEIR_SHAPE_WEIR);
    }
}

/* Packets with the same number between the same hosts have the same hash, also on their way back. */
static void the_hash_is_one_of_the_connection(void **state)
{
    (void)state;
    fix_begin((struct weir_mapping_fields){ 0 });
    for (uint32_t shape = WEIR_SHAPE_TCP; shape <= WEIR_SHAPE_WEIR; shape++) {
        struct weir_mapping_form form = form_of(4, shape), back = form;
        struct weir_pkt
            data = { .conn = 99, .src = 2, .dst = 3, .wire_bytes = 1538, .payload_bytes = 100, .class_id = 7 },
            ack = { .conn = 99, .src = 3, .dst = 2, .kind = WEIR_PKT_ACK, .wire_bytes = 200, .class_id = 7 };
        uint32_t hash;
        back.from = form.to;
        back.to = form.from;
        there_and_back(&form, &data, NULL);
        hash = pkt.hash;
        assert_int_equal(weir_mapping_make(&map, &back, &ack, NULL, frame), 176);
        assert_int_equal(fix_read(3, 176), WEIR_MAPPING_PACKET);
        assert_int_equal(pkt.kind, WEIR_PKT_ACK);
        assert_int_equal(pkt.hash, hash);
        assert_int_equal(pkt.conn, 99);
    }
}

static void lengths_at_the_least_and_one_below(void **state)
{
    (void)state;
    fix_begin((struct weir_mapping_fields){ 0 });
    static const struct {
        uint32_t version, shape, kind, stream, area, slots, option, least;
    } rows[] = {
        { 4, WEIR_SHAPE_TCP, WEIR_PKT_ACK, 1, 0, 0, 0, 84 },  /* 54 and padding */
        { 4, WEIR_SHAPE_TCP, WEIR_PKT_DATA, 1, 0, 0, 0, 84 }, /* 55 and padding */
        { 4, WEIR_SHAPE_TCP, WEIR_PKT_DATA, 1, 0, 0, 1, 14 + 20 + 28 + 1 + 24 },
        { 6, WEIR_SHAPE_TCP, WEIR_PKT_DATA, 1, 0, 0, 1, 14 + 40 + 28 + 1 + 24 },
        { 4, WEIR_SHAPE_WEIR, WEIR_PKT_DATA, 0, 0, 0, 0, 14 + 28 + 49 + 1 + 24 },
        { 4, WEIR_SHAPE_WEIR, WEIR_PKT_DATA, 1, 0, 0, 0, 14 + 28 + 55 + 1 + 24 },
        { 4, WEIR_SHAPE_WEIR, WEIR_PKT_DATA, 1, 1, 5, 0, 14 + 28 + 55 + 84 + 1 + 24 },
        { 6, WEIR_SHAPE_WEIR, WEIR_PKT_ACK, 1, 1, 5, 0, 14 + 48 + 64 + 84 + 24 },
        { 4, WEIR_SHAPE_WEIR, WEIR_PKT_CREDIT, 0, 0, 0, 0, 14 + 28 + 49 + 24 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_mapping_form form = form_of(rows[i].version, rows[i].shape);
        struct weir_pkt p = { .src = 2, .dst = 3, .kind = rows[i].kind & 15u };
        form.stream = rows[i].stream != 0;
        form.area_kind = (uint8_t)rows[i].area;
        form.slots = (uint8_t)rows[i].slots;
        form.option = rows[i].option != 0;
        assert_int_equal(weir_mapping_least_bytes(&form, &p), rows[i].least);
        p.wire_bytes = WEIR_PKT_BYTES(rows[i].least - 1);
        assert_int_equal(weir_mapping_make(&map, &form, &p, NULL, frame), 0);
        p.wire_bytes = WEIR_PKT_BYTES(rows[i].least);
        assert_int_equal(weir_mapping_make(&map, &form, &p, NULL, frame), rows[i].least - 24);
        p.wire_bytes = WEIR_PKT_BYTES(rows[i].least + 1);
        assert_int_equal(weir_mapping_make(&map, &form, &p, NULL, frame), rows[i].least - 23);
    }
}

/* The payload of a simulated packet may be more than a real header leaves: the frame then has what fits. */
static void payload_is_cut_to_what_fits(void **state)
{
    struct weir_mapping_form form = form_of(4, WEIR_SHAPE_WEIR);
    struct weir_pkt p = { .src = 2, .dst = 3, .wire_bytes = 1538, .payload_bytes = 1460 };
    (void)state;
    fix_begin((struct weir_mapping_fields){ 0 });
    form.stream = true;
    there_and_back(&form, &p, NULL);
    assert_int_equal(pkt.payload_bytes, 1514 - 42 - 55);
    p.payload_bytes = 1417;
    there_and_back(&form, &p, NULL);
    assert_int_equal(pkt.payload_bytes, 1417);
    p.payload_bytes = 1416; /* and a byte of padding */
    there_and_back(&form, &p, NULL);
    assert_int_equal(pkt.payload_bytes, 1416);
}

/* With these keys of `framing`, which doc/softswitch.md lists, every packet of a scenario has its frame. */
static void these_framings_fit_exactly(void **state)
{
    static const struct {
        struct weir_framing framing;
        uint32_t shape, stream, data_slots, ack_slots;
    } rows[] = {
        { { 1452, 66, 20, 84, 86 }, WEIR_SHAPE_TCP, 1, 0, 0 },
        { { 1417, 101, 20, 84, 130 }, WEIR_SHAPE_WEIR, 1, 0, 0 },
        { { 1413, 105, 20, 84, 130 }, WEIR_SHAPE_WEIR, 1, UINT32_MAX, 0 },
        { { 1413, 105, 20, 84, 134 }, WEIR_SHAPE_WEIR, 1, UINT32_MAX, UINT32_MAX },
        { { 1333, 185, 20, 84, 130 }, WEIR_SHAPE_WEIR, 1, 5, 0 },
        { { 1417, 101, 20, 84, 214 }, WEIR_SHAPE_WEIR, 1, 0, 5 },
        { { 1423, 95, 20, 84, 115 }, WEIR_SHAPE_WEIR, 0, 0, 0 },
    };
    (void)state;
    fix_begin((struct weir_mapping_fields){ 0 });
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_mapping_form form = form_of(4, rows[i].shape);
        struct weir_pkt p = { .src = 2, .dst = 3 };
        form.stream = rows[i].stream != 0;
        form.option = rows[i].shape == WEIR_SHAPE_TCP;
        for (uint32_t payload = 1; payload <= rows[i].framing.payload_bytes; payload++) {
            uint32_t slots = rows[i].data_slots;
            form.area_kind = slots > 0 ? WEIR_WIRE_AREA_64NS : WEIR_WIRE_AREA_NONE;
            form.slots = slots == UINT32_MAX ? 0 : (uint8_t)slots; /* UINT32_MAX: an area without slots */
            p.payload_bytes = WEIR_PKT_BYTES(payload);
            p.wire_bytes = WEIR_PKT_BYTES(weir_framing_wire(&rows[i].framing, payload));
            there_and_back(&form, &p, NULL);
            assert_int_equal(pkt.payload_bytes, payload);
        }
        assert_int_equal(p.wire_bytes, 1538);
        p.kind = rows[i].stream != 0 ? WEIR_PKT_ACK : WEIR_PKT_CREDIT;
        p.payload_bytes = 0;
        form.area_kind = rows[i].ack_slots > 0 ? WEIR_WIRE_AREA_64NS : WEIR_WIRE_AREA_NONE;
        form.slots = rows[i].ack_slots == UINT32_MAX ? 0 : (uint8_t)rows[i].ack_slots;
        assert_int_equal(weir_mapping_least_bytes(&form, &p), rows[i].framing.ack_wire_bytes);
        p.wire_bytes = WEIR_PKT_BYTES(rows[i].framing.ack_wire_bytes);
        there_and_back(&form, &p, NULL);
    }
}

static uint32_t made(struct weir_mapping_form form, struct weir_pkt p)
{
    static const struct weir_telemetry some[WEIR_TELEMETRY_HOPS_MAX];
    p.src = 2;
    p.dst = 3;
    p.wire_bytes = 1000;
    return weir_mapping_make(&map, &form, &p, some, frame) != 0;
}

static void what_a_frame_cannot_carry_is_not_made(void **state)
{
    struct weir_mapping_form tcp = form_of(4, WEIR_SHAPE_TCP), weir = form_of(4, WEIR_SHAPE_WEIR), area = weir,
                             slots = weir, rcp = weir, option = tcp;
    (void)state;
    area.area_kind = slots.area_kind = WEIR_WIRE_AREA_64NS;
    slots.slots = 2;
    rcp.area_kind = WEIR_WIRE_AREA_RCP;
    option.option = true;
    fix_begin((struct weir_mapping_fields){ 0 });
    assert_true(made(weir, (struct weir_pkt){ 0 }));
    assert_false(made(weir, (struct weir_pkt){ .conn = 1u << 30 })); /* law 1 */
    assert_false(made(tcp, (struct weir_pkt){ .kind = WEIR_PKT_CREDIT }));
    assert_false(made(tcp, (struct weir_pkt){ .conn = WEIR_PKT_NO_CONN }));
    assert_true(made(weir, (struct weir_pkt){ .conn = WEIR_PKT_NO_CONN }));
    for (uint32_t c = 0; c < 8; c++) {
        assert_int_equal(made(tcp, (struct weir_pkt){ .class_id = WEIR_PKT_CLASS(c) }), c < 4 || c == 7);
        assert_true(made(weir, (struct weir_pkt){ .class_id = WEIR_PKT_CLASS(c) }));
    }
    assert_false(made(tcp, (struct weir_pkt){ .tokens = 1 }));
    assert_false(made(weir, (struct weir_pkt){ .tokens = 1 }));
    assert_true(made(area, (struct weir_pkt){ .tokens = 1 }));
    fix_begin((struct weir_mapping_fields){ .qdelay_unit_ps = 64000 });
    assert_true(made(weir, (struct weir_pkt){ 0 }));
    assert_false(made(weir, (struct weir_pkt){ .qdelay = 1 }));
    assert_false(made(rcp, (struct weir_pkt){ .qdelay = 1 }));
    assert_true(made(area, (struct weir_pkt){ .qdelay = 1 }));
    assert_false(made(tcp, (struct weir_pkt){ .qdelay = 1 }));
    assert_true(made(option, (struct weir_pkt){ .qdelay = 1 }));
    fix_begin((struct weir_mapping_fields){ .rates = true });
    assert_true(made(rcp, (struct weir_pkt){ .qdelay = 1, .rtt = 1 }));
    assert_false(made(area, (struct weir_pkt){ .qdelay = 1 }));
    assert_false(made(area, (struct weir_pkt){ .rtt = 1 }));
    assert_false(made(tcp, (struct weir_pkt){ 0 }));
    fix_begin((struct weir_mapping_fields){ .weights = true });
    assert_true(made(area, (struct weir_pkt){ .weight = 1 }));
    assert_false(made(slots, (struct weir_pkt){ .weight = 1 }));
    assert_false(made(weir, (struct weir_pkt){ .weight = 1 }));
    fix_begin((struct weir_mapping_fields){ .records_max = 5 });
    assert_true(made(slots, (struct weir_pkt){ .hops = 2 }));
    assert_false(made(slots, (struct weir_pkt){ .hops = 3 }));
    assert_false(made(area, (struct weir_pkt){ .hops = 1 }));
    assert_false(made(tcp, (struct weir_pkt){ .hops = 1 }));
    assert_false(made(slots, (struct weir_pkt){ .hops = 1, .kind = WEIR_PKT_CREDIT }));
}

static int end(void **state)
{
    (void)state;
    fix_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_shaped_packets_come_back),      cmocka_unit_test(message_packets_come_back),
        cmocka_unit_test(the_hash_is_one_of_the_connection), cmocka_unit_test(lengths_at_the_least_and_one_below),
        cmocka_unit_test(payload_is_cut_to_what_fits),       cmocka_unit_test(what_a_frame_cannot_carry_is_not_made),
        cmocka_unit_test(these_framings_fit_exactly),
    };
    return cmocka_run_group_tests_name("mapping/make", tests, NULL, end);
}
