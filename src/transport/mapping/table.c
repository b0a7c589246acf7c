/* src/transport/mapping/table.c - addresses of hosts: a hash table with open addressing, at most half full. Nothing is
 * ever removed: a host that moves is an error. */
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include "mapping/headers.h"
#include "wire/number.h"

struct weir_mapping_entry {
    struct weir_mapping_address address; /* version 0 = free */
    uint32_t host;
};

const struct weir_mapping_cause_row weir_mapping_causes[WEIR_MAPPING_CAUSES] = {
    [WEIR_MAPPING_GROUP] = { "group", "frames to groups of hosts", true },
    [WEIR_MAPPING_NEIGHBOR] = { "neighbor", "frames of ARP and of neighbour discovery", true },
    [WEIR_MAPPING_UNKNOWN] = { "unknown", "frames to an address of no known host", true },
    [WEIR_MAPPING_OFFLOAD] = { "offload", "frames longer than the MTU: switch offloads of the sender off", false },
    [WEIR_MAPPING_TAGGED] = { "tagged", "frames with a VLAN tag", false },
    [WEIR_MAPPING_MALFORMED] = { "malformed", "frames that are truncated, or in which a length is wrong", false },
    [WEIR_MAPPING_MOVED] = { "moved", "frames from an address of another host", false },
    [WEIR_MAPPING_OWN] = { "own", "frames to the host that they came from", false },
    [WEIR_MAPPING_LINK] = { "link", "frames for this end of the cable alone, such as pauses", false },
};

/* Returns where an address is in the table, or else the free entry where it belongs. */
static struct weir_mapping_entry *find(const struct weir_mapping *m, const struct weir_mapping_address *address)
{
    const unsigned char *bytes = address->bytes;
    uint64_t key = weir_mix_u64(get64(bytes) + weir_mix_u64(get64(bytes + 8) + address->version));
    for (uint32_t i = (uint32_t)key & m->mask;; i = (i + 1) & m->mask) {
        struct weir_mapping_entry *e = &m->entry[i];
        if (e->address.version == 0 ||
            (e->address.version == address->version && memcmp(e->address.bytes, bytes, sizeof(address->bytes)) == 0))
            return e;
    }
}

int weir_mapping_init(struct weir_mapping *m, const struct weir_mapping_config *cfg, const struct weir_mem *mem,
                      struct weir_err *err)
{
    const struct weir_mapping_fields *f = &cfg->fields;
    uint32_t entries = 2;
    WEIR_ASSERT(cfg->hosts >= 1 && cfg->hosts <= WEIR_PKT_HOSTS_MAX);
    WEIR_ASSERT(cfg->addresses >= 1 && cfg->addresses <= WEIR_MAPPING_ADDRESSES_MAX);
    WEIR_ASSERT(cfg->mtu_bytes >= WEIR_MAPPING_MTU_MIN && cfg->mtu_bytes <= WEIR_MAPPING_MTU_MAX);
    WEIR_ASSERT((f->records_max > 0) + f->weights + f->rates <= 1);
    WEIR_ASSERT(f->qdelay_unit_ps <= WEIR_PS_PER_MS);
    WEIR_ASSERT(f->records_max <= WEIR_TELEMETRY_HOPS_MAX);
    WEIR_ASSERT(f->records_max == 0 || cfg->rates != NULL);
    while (entries < 2 * cfg->addresses)
        entries *= 2;
    *m = (struct weir_mapping){ .config = *cfg, .mask = entries - 1 };
    m->entry = mem->grow(mem->ctx, entries * sizeof(*m->entry));
    return m->entry == NULL ? weir_fail_memory(err) : 0;
}

uint32_t weir_mapping_host(const struct weir_mapping *m, const struct weir_mapping_address *address)
{
    const struct weir_mapping_entry *e = find(m, address);
    return e->address.version == 0 ? UINT32_MAX : e->host;
}

bool mapping_is_group(const struct weir_mapping_address *address)
{
    static const uint8_t all[4] = { 255, 255, 255, 255 };
    if (address->version == 6)
        return address->bytes[0] == 0xff;
    return address->bytes[0] >> 4 == 14 || memcmp(address->bytes, all, sizeof(all)) == 0;
}

/* Tests for an address that one host may have: not of a group, not "this host" (RFC 1122, RFC 4291). */
static bool is_of_one(const struct weir_mapping_address *address)
{
    static const uint8_t loopback[16] = { [15] = 1 };
    static const uint8_t zeros[16];
    if (address->version == 4)
        return !mapping_is_group(address) && address->bytes[0] != 0 && address->bytes[0] != 127;
    return address->version == 6 && !mapping_is_group(address) && memcmp(address->bytes, zeros, 16) != 0 &&
           memcmp(address->bytes, loopback, 16) != 0;
}

static void put(struct weir_mapping *m, struct weir_mapping_entry *e, const struct weir_mapping_address *address,
                uint32_t host)
{
    WEIR_ASSERT(m->used < m->config.addresses);
    *e = (struct weir_mapping_entry){ .address = *address, .host = host };
    m->used++;
}

int weir_mapping_add(struct weir_mapping *m, const struct weir_mapping_address *address, uint32_t host,
                     struct weir_err *err)
{
    char text[WEIR_MAPPING_ADDRESS_TEXT];
    struct weir_mapping_entry *e = find(m, address);
    WEIR_ASSERT(host < m->config.hosts);
    (void)weir_mapping_address_text(address, text);
    if (!is_of_one(address))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "switch.addresses: %s is no address of one host", text);
    if (e->address.version != 0 && e->host != host)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "give each host its own",
                         "switch.addresses: host %u and host %u have the same address %s",
                         (unsigned)weir_min_u64(e->host, host), (unsigned)weir_max_u64(e->host, host), text);
    if (e->address.version != 0)
        return 0;
    if (m->used == m->config.addresses)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "switch.addresses: there are more than %u",
                         (unsigned)m->config.addresses);
    put(m, e, address, host);
    return 0;
}

bool mapping_learn(struct weir_mapping *m, const struct weir_mapping_address *address, uint32_t host)
{
    if (!is_of_one(address))
        return true;
    struct weir_mapping_entry *e = find(m, address);
    if (e->address.version != 0) {
        if (e->host == host)
            return true;
        m->moved = *address;
        m->moved_owner = e->host;
        m->moved_host = host;
        return false;
    }
    if (m->config.learns && m->used < m->config.addresses)
        put(m, e, address, host);
    else if (m->config.learns)
        m->counts.unlearned++;
    return true;
}

int weir_mapping_moved(const struct weir_mapping *m, struct weir_err *err)
{
    char text[WEIR_MAPPING_ADDRESS_TEXT];
    if (m->moved.version == 0)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "a host keeps its cable while the switch runs",
                     "host %u sends from %s, which is the address of host %u", (unsigned)m->moved_host,
                     weir_mapping_address_text(&m->moved, text), (unsigned)m->moved_owner);
}

const char *weir_mapping_address_text(const struct weir_mapping_address *address, char out[WEIR_MAPPING_ADDRESS_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *to = out;
    for (uint32_t i = 0; i < (address->version == 4 ? 4u : 16u); i++) {
        uint32_t byte = address->bytes[i];
        if (address->version != 4) {
            if (i > 0 && i % 2 == 0)
                *to++ = ':';
            *to++ = digits[byte >> 4];
            *to++ = digits[byte & 15];
            continue;
        }
        if (i > 0)
            *to++ = '.';
        if (byte >= 100)
            *to++ = digits[byte / 100];
        if (byte >= 10)
            *to++ = digits[byte / 10 % 10];
        *to++ = digits[byte % 10];
    }
    *to = '\0';
    return out;
}
