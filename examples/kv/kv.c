/* examples/kv/kv.c - the command line of a small key-value store over libweir or TCP (doc/kv.md):
 *
 *     kv serve --bind 10.0.0.2:7411                         a server; --transport tcp: over the kernel's TCP
 *     kv put greeting hello --servers 10.0.0.2:7411
 *     kv get greeting --servers 10.0.0.2:7411               prints hello
 *     kv load 10.0.0.2:7411,10.0.0.3:7411 --rate 2000       p50, p99 and p99.9 of gets
 *
 * cc kv/[a-z]*.c $(pkg-config --cflags --libs weir) -lm */
#include "kv.h"
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: kv serve --bind ADDRESS:PORT [options]   keeps keys and values in memory, until SIGINT or SIGTERM\n"
    "       kv get|delete KEY [options]\n"
    "       kv put KEY [VALUE] [options]             without VALUE that of standard input\n"
    "       kv load ADDRESS:PORT[,ADDRESS:PORT..] [options]\n"
    "                                                puts keys, then gets and puts them, and prints latencies\n"
    "options:\n"
    "  --transport T     weir (over UDP, the default) or tcp (the kernel's); the same at both ends\n"
    "  --cc NAME         congestion control. weir: sird, if not said, dctcp, 'sird B=120KB', .. (doc/live.md), the "
    "same at\n"
    "                    both ends; tcp: cubic, dctcp, .., as the kernel has them\n"
    "  --link RATE       weir: rate of this host's link, 200Mbps; it is measured if not said\n"
    "  --timeout TIME    of a call, and of a reply that its client does not take; 5s if not said\n"
    "  --memory SIZE     serve: most of keys and values; 256MB if not said\n"
    "  --servers LIST    get, put, delete: ADDRESS:PORT[,ADDRESS:PORT..]; 127.0.0.1:7411 if not said. The key chooses "
    "one\n"
    "  --connections N   tcp, load: to each server, 1 to 16; 1 if not said. A call takes the one with the fewest "
    "calls\n"
    "options of load:\n"
    "  --keys N          1000 if not said\n"
    "  --value SIZE      of each value; 100B if not said, at most 4MB\n"
    "  --writes PART     of the requests that are puts: 10%; 0% if not said\n"
    "  --rate N          open loop: N requests a second, with Poisson arrivals\n"
    "  --outstanding N   closed loop: N requests in progress; 1 if there is neither --rate nor --multi-get\n"
    "  --multi-get TIME  each time this has passed, all servers are asked for a value at once, and all answer at once "
    "(incast)\n"
    "  --multi-value SIZE   of these values; 64KB if not said\n"
    "  --duration TIME   10s if not said\n"
    "  --warmup TIME     what is due before is not measured\n"
    "  --count N         most gets, puts and multi-gets\n"
    "  --no-fill         the keys are there already: another load with the same --keys, --value and --multi-value has "
    "put them\n"
    "  --seed N          of keys, gaps and writes\n"
    "  --json            one JSON object instead of the table\n"
    "exit status: 0 done, 1 no such key, or the server has no room, or a value was wrong, 2 the command line is at "
    "fault, or a port\n"
    "is in use, 3 a server cannot be reached, 130, 143 load was ended by a signal: what was done is printed\n";

uint64_t kv_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * KV_NS_PER_S + (uint64_t)now.tv_nsec;
}

const char *kv_error_text(int error)
{
    return error == KV_NO_KEY ? "no such key"
           : error == KV_FULL ? "the store is full"
                              : "the server does not understand the request";
}

/* --- values of options --- */

struct unit {
    const char *name;
    uint64_t is;
};
static const struct unit no_unit[] = { { "", 1 }, { NULL, 0 } };
static const struct unit sizes[] = { { "B", 1 }, { "KB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 }, { NULL, 0 } };
static const struct unit times[] = { { "us", 1000 }, { "ms", 1000000 }, { "s", KV_NS_PER_S }, { NULL, 0 } };
static const struct unit rates[] = { { "Kbps", 1000 }, { "Mbps", 1000000 }, { "Gbps", 1000000000 }, { NULL, 0 } };
static const struct unit parts[] = { { "%", 10000 }, { NULL, 0 } };    /* of a million */
static const struct unit per_second[] = { { "", 1000 }, { NULL, 0 } }; /* thousandths */

struct option_row {
    const char *name;
    const char *commands; /* letters of the commands that have it: s, g (get and delete), p, l */
    size_t to;            /* offset in struct kv_args of a number, or of a text if there are no units */
    const struct unit *units;
    uint64_t least, most;
    bool is_32; /* the number has 32 bits */
};
#define AT(field) offsetof(struct kv_args, field)
static const struct option_row rows[] = {
    { "bind", "s", AT(end.bind), NULL, 0, 0, false },
    { "cc", "sgpl", AT(end.cc), NULL, 0, 0, false },
    { "link", "sgpl", AT(end.link_bps), rates, 1000000, 1000 * UINT64_C(1000000000), false },
    { "timeout", "sgpl", AT(end.timeout_ns), times, 1000000, 3600 * KV_NS_PER_S, false },
    { "memory", "s", AT(memory_bytes), sizes, 1000, UINT64_C(1) << 40, false },
    { "connections", "l", AT(end.connections), no_unit, 1, KV_CONNECTIONS_MAX, true },
    { "keys", "l", AT(keys), no_unit, 1, 100000000, false },
    { "value", "l", AT(value_bytes), sizes, 0, KV_VALUE_MAX, false },
    { "writes", "l", AT(writes_ppm), parts, 0, 1000000, false },
    { "rate", "l", AT(rate_milli), per_second, 1, 10000000000, false },
    { "outstanding", "l", AT(outstanding), no_unit, 1, KV_CALLS_MAX, false },
    { "multi-get", "l", AT(multi_ns), times, 100000, 3600 * KV_NS_PER_S, false },
    { "multi-value", "l", AT(multi_bytes), sizes, 0, KV_VALUE_MAX, false },
    { "duration", "l", AT(duration_ns), times, 1000000, 86400 * KV_NS_PER_S, false },
    { "warmup", "l", AT(warmup_ns), times, 0, 86400 * KV_NS_PER_S, false },
    { "count", "l", AT(count), no_unit, 1, UINT64_C(1000000000000), false },
    { "seed", "l", AT(seed), no_unit, 0, UINT64_C(1) << 53, false },
};
/* Options that are no number and no plain text, in the order of enum option; the last three have no value. */
static const struct option_row others[] = {
    { "servers", "gp", 0, NULL, 0, 0, false }, { "transport", "sgpl", 0, NULL, 0, 0, false },
    { "no-fill", "l", 0, NULL, 0, 0, false },  { "json", "l", 0, NULL, 0, 0, false },
    { "help", "sgpl", 0, NULL, 0, 0, false },
};
enum {
    ROWS = sizeof(rows) / sizeof(rows[0]),
    OTHERS = sizeof(others) / sizeof(others[0]),
    SERVERS = 256,
    TRANSPORT,
    NO_FILL,
    JSON,
    HELP
};

/* Reads a number and its unit. @return false: it is none, or out of range */
static bool read_number(const struct option_row *row, const char *text, uint64_t *to)
{
    const size_t digits = strspn(text, "0123456789.");
    char number[32], *end;
    double value;
    if (digits == 0 || digits >= sizeof(number))
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    value = strtod(number, &end);
    for (const struct unit *unit = row->units; *end == '\0' && unit->name != NULL; unit++) {
        if (strcmp(unit->name, text + digits) != 0)
            continue;
        value *= (double)unit->is;
        *to = (uint64_t)(value + 0.5);
        return value + 0.5 >= (double)row->least && value <= (double)row->most &&
               (unit->is > 1 || strchr(number, '.') == NULL);
    }
    return false;
}

static int refuse(const char *option, const char *text, const struct option_row *row)
{
    fprintf(stderr, "kv: --%s %s: must be a number", option, text);
    for (const struct unit *unit = row->units; unit->name != NULL; unit++)
        if (unit->name[0] != '\0')
            fprintf(stderr, "%s%s", unit == row->units ? " and " : " or ", unit->name);
    fprintf(stderr, ", %g to %g", (double)row->least / (double)row->units->is,
            (double)row->most / (double)row->units->is);
    fprintf(stderr, "%s\n", row->units->name);
    return 2;
}

static int set(struct kv_args *args, const struct option_row *row, const char *text)
{
    char *to = (char *)args + row->to;
    uint64_t number;
    if (row->units == NULL) {
        memcpy(to, &text, sizeof(text));
        return 0;
    }
    if (!read_number(row, text, &number))
        return refuse(row->name, text, row);
    if (row->is_32)
        memcpy(to, &(uint32_t){ (uint32_t)number }, sizeof(uint32_t));
    else
        memcpy(to, &number, sizeof(number));
    return 0;
}

/* --- addresses --- */

int kv_address_read(const char *text, struct sockaddr_storage *at)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)at;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)at;
    const char *colon = strrchr(text, ':');
    const bool is_v6 = text[0] == '[';
    const size_t skip = is_v6 ? 1 : 0, tail = is_v6 ? 1 : 0;
    const size_t bytes = colon != NULL ? (size_t)(colon - text) : 0;
    char host[64], *end;
    unsigned long port;
    memset(at, 0, sizeof(*at));
    if (bytes <= skip + tail || bytes >= sizeof(host) || (is_v6 && colon[-1] != ']') || colon[1] < '0' ||
        colon[1] > '9')
        return -EINVAL;
    memcpy(host, text + skip, bytes - skip - tail);
    host[bytes - skip - tail] = '\0';
    port = strtoul(colon + 1, &end, 10);
    if (*end != '\0' || port > 65535)
        return -EINVAL;
    at->ss_family = is_v6 ? AF_INET6 : AF_INET;
    *(is_v6 ? &v6->sin6_port : &v4->sin_port) = htons((uint16_t)port);
    return inet_pton(at->ss_family, host, is_v6 ? (void *)&v6->sin6_addr : (void *)&v4->sin_addr) == 1 ? 0 : -EINVAL;
}

void kv_address_write(const struct sockaddr_storage *at, char *text)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)at;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)at;
    const bool is_v6 = at->ss_family == AF_INET6;
    char host[INET6_ADDRSTRLEN];
    (void)inet_ntop(at->ss_family, is_v6 ? (const void *)&v6->sin6_addr : (const void *)&v4->sin_addr, host,
                    sizeof(host));
    (void)snprintf(text, 64, is_v6 ? "[%s]:%d" : "%s:%d", host, ntohs(is_v6 ? v6->sin6_port : v4->sin_port));
}

/* Reads "ADDRESS:PORT,ADDRESS:PORT". list: its commas are overwritten */
static int read_servers(struct kv_args *args, char *list)
{
    args->servers = 0;
    for (char *next, *text = list; text != NULL; text = next) {
        struct sockaddr_storage *at = &args->server[args->servers];
        next = strchr(text, ',');
        if (next != NULL)
            *next++ = '\0';
        if (args->servers == KV_SERVERS_MAX) {
            fprintf(stderr, "kv: more than %d servers\n", KV_SERVERS_MAX);
            return 2;
        }
        if (kv_address_read(text, at) != 0 || ((struct sockaddr_in *)at)->sin_port == 0) {
            fprintf(stderr, "kv: '%s' is no server: it must be ADDRESS:PORT or [ADDRESS]:PORT, with numbers\n", text);
            return 2;
        }
        args->server_text[args->servers++] = text;
    }
    return 0;
}

/* --- the command line --- */

static int choose_transport(struct kv_args *args, const char *name)
{
    args->transport = strcmp(name, kv_weir.name) == 0 ? &kv_weir : strcmp(name, kv_tcp.name) == 0 ? &kv_tcp : NULL;
    if (args->transport != NULL)
        return 0;
    fprintf(stderr, "kv: --transport %s: must be weir or tcp\n", name);
    return 2;
}

static int take_option(struct kv_args *args, char command, int option, char *text)
{
    const struct option_row *row = option < ROWS ? &rows[option] : &others[option - SERVERS];
    if (strchr(row->commands, command) == NULL) {
        fprintf(stderr, "kv: --%s has no meaning for this command\n", row->name);
        return 2;
    }
    if (option < ROWS)
        return set(args, row, text);
    if (option == SERVERS)
        return read_servers(args, text);
    if (option == TRANSPORT)
        return choose_transport(args, text);
    *(option == JSON ? &args->json : &args->no_fill) = true;
    return 0;
}

/* Reads the options. What is none stays behind them, from optind on. @return an exit status; -1 = go on */
static int read_options(struct kv_args *args, char command, int argc, char **argv)
{
    struct option option[ROWS + OTHERS + 1] = { { 0 } };
    int found, status = 0;
    for (int i = 0; i < ROWS; i++)
        option[i] = (struct option){ rows[i].name, required_argument, NULL, i };
    for (int i = 0; i < OTHERS; i++)
        option[ROWS + i] = (struct option){ others[i].name, SERVERS + i < NO_FILL ? required_argument : no_argument,
                                            NULL, SERVERS + i };
    while (status == 0 && (found = getopt_long(argc, argv, "h", option, NULL)) != -1) {
        if (found == HELP || found == 'h') {
            (void)fputs(help, stdout);
            return 0;
        }
        status = found == '?' ? 2 : take_option(args, command, found, optarg);
    }
    return status == 0 ? -1 : status;
}

/* Returns what is wrong with the options together; NULL = nothing. */
static const char *check(const struct kv_args *args, char command, int words)
{
    const bool tcp = args->transport == &kv_tcp;
    struct sockaddr_storage at;
    if (words < (command == 's' ? 0 : 1) || words > (command == 's' ? 0 : command == 'p' ? 2 : 1))
        return command == 's'   ? "serve takes no words but options"
               : command == 'l' ? "load takes one list of servers"
                                : "one KEY is needed, and no more";
    if (command == 's' && args->end.bind == NULL)
        return "serve needs --bind ADDRESS:PORT";
    if (command == 's' && kv_address_read(args->end.bind, &at) != 0)
        return "--bind must be ADDRESS:PORT or [ADDRESS]:PORT, with numbers";
    if (tcp && args->end.link_bps != 0)
        return "--link has no meaning for --transport tcp";
    if (!tcp && args->end.connections != 0)
        return "--connections has no meaning for --transport weir: messages do not wait for each other";
    if (args->rate_milli != 0 && args->outstanding != 0)
        return "--rate and --outstanding exclude each other";
    if (args->warmup_ns >= args->duration_ns)
        return "--warmup must be less than --duration";
    return NULL;
}

static int take_words(struct kv_args *args, char command, char **word, int words)
{
    const size_t key_bytes = command == 'g' || command == 'p' ? strlen(word[0]) : 1;
    if (command == 'l')
        return read_servers(args, word[0]);
    if (key_bytes == 0 || key_bytes > KV_KEY_MAX) {
        fprintf(stderr, "kv: a key has 1 to %d bytes\n", KV_KEY_MAX);
        return 2;
    }
    args->key = word[0];
    args->value = words > 1 ? word[1] : NULL;
    return 0;
}

static int execute(struct kv_args *args, char command, const char *name)
{
    if (args->end.connections == 0)
        args->end.connections = 1;
    if (args->rate_milli == 0 && args->multi_ns == 0 && args->outstanding == 0)
        args->outstanding = 1;
    if (command == 's')
        return kv_serve(args);
    if (command == 'l')
        return kv_load(args);
    return kv_client(args, command == 'p' ? KV_PUT : name[0] == 'g' ? KV_GET : KV_DELETE);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "serve", "get", "delete", "put", "load" };
    static const char letters[] = "sggpl";
    static char here[] = "127.0.0.1:7411";
    static struct kv_args args = { .transport = &kv_weir,
                                   .end = { .timeout_ns = 5 * KV_NS_PER_S },
                                   .memory_bytes = 256000000,
                                   .keys = 1000,
                                   .value_bytes = 100,
                                   .multi_bytes = 64000,
                                   .duration_ns = 10 * KV_NS_PER_S,
                                   .count = UINT64_MAX };
    size_t i = 0;
    const char *wrong;
    int status;
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        (void)fputs(help, stdout);
        return 0;
    }
    while (argc >= 2 && i < sizeof(names) / sizeof(names[0]) && strcmp(argv[1], names[i]) != 0)
        i++;
    if (argc < 2 || i == sizeof(names) / sizeof(names[0])) {
        fprintf(stderr, "kv: %s%s; kv --help lists all\n",
                argc < 2 ? "a command is missing" : "no such command: ", argc < 2 ? "" : argv[1]);
        return 2;
    }
    (void)read_servers(&args, here);
    status = read_options(&args, letters[i], argc - 1, argv + 1);
    if (status >= 0)
        return status;
    wrong = check(&args, letters[i], argc - 1 - optind);
    if (wrong != NULL) {
        fprintf(stderr, "kv: %s\n", wrong);
        return 2;
    }
    status = take_words(&args, letters[i], argv + 1 + optind, argc - 1 - optind);
    return status == 0 ? execute(&args, letters[i], names[i]) : status;
}
