/* src/transport/seal/keyfile.c - reads and makes files of keys. What held a secret is wiped before it is left. */
#include "seal/keyfile.h"
#include "core/assert.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_HINT "a line is NUMBER NAME BASE64; weir key new makes a file"
#define MODE_MASK 07777u
#define MODE_MAX 0600u

enum { FIELDS = 3 };

struct field { /* a part of a line; not the reader's to print */
    const char *at;
    size_t size;
};

struct line {
    struct field field[FIELDS];
    size_t fields; /* FIELDS + 1 = there are more */
};

int weir_keys_possible(struct weir_err *err)
{
    if (weir_crypto_ready())
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, "build it where libsodium-dev is installed",
                     "this weir was built without libsodium: it has neither keys nor protection");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
}

static bool name_fits(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_name_char(name[i]))
            return false;
    return size > 0 && size <= WEIR_KEY_NAME_MAX;
}

bool weir_key_name_fits(const char *name)
{
    return name_fits(name, strlen(name));
}

/* Splits a line at spaces and tabs. */
static struct line split(const char *text, size_t size)
{
    struct line line = { .fields = 0 };
    size_t at = 0;
    while (line.fields <= FIELDS) {
        size_t begin;
        while (at < size && is_blank(text[at]))
            at++;
        if (at == size)
            break;
        for (begin = at; at < size && !is_blank(text[at]);)
            at++;
        if (line.fields < FIELDS)
            line.field[line.fields] = (struct field){ text + begin, at - begin };
        line.fields++;
    }
    return line;
}

/* Returns a number, or 0 if the field is none within 1 .. WEIR_KEY_NUMBER_MAX. */
static uint16_t read_number(struct field f)
{
    uint32_t number = 0;
    for (size_t i = 0; i < f.size; i++) {
        if (!is_digit(f.at[i]))
            return 0;
        number = 10 * number + (uint32_t)(f.at[i] - '0');
        if (number > WEIR_KEY_NUMBER_MAX)
            return 0;
    }
    return (uint16_t)number;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    return any == 0;
}

/* Reads the 32 bytes of a key. @return 0, or a code with err */
static int read_bytes(uint8_t out[WEIR_KEY_BYTES], struct field f, const struct weir_tok *tok, struct weir_err *err)
{
    static const char hint[] = "32 random bytes in base64: 44 characters, of which the last is =";
    uint8_t room[96]; /* so that a key that is a little too long is measured */
    int count = weir_crypto_from_base64(room, sizeof(room), f.at, f.size), code = 0;
    if (count < 0)
        code = weir_fail(err, WEIR_E_SYNTAX, tok, hint, "the key is not base64");
    else if (count != WEIR_KEY_BYTES)
        code = weir_fail(err, WEIR_E_RANGE, tok, hint, "the key has %d bytes, not %u", count, WEIR_KEY_BYTES);
    else if (is_zero(room, WEIR_KEY_BYTES))
        code = weir_fail(err, WEIR_E_RANGE, tok, hint, "the key is all zeros, which everybody can guess");
    else
        memcpy(out, room, WEIR_KEY_BYTES);
    weir_crypto_wipe(room, sizeof(room));
    return code;
}

static int read_key(struct weir_key *key, const struct line *line, const struct weir_tok *tok, struct weir_err *err)
{
    if (line->fields != FIELDS)
        return weir_fail(err, WEIR_E_SYNTAX, tok, LINE_HINT, "a line of a key has three parts, not %s",
                         line->fields == 1   ? "one"
                         : line->fields == 2 ? "two"
                                             : "more");
    key->number = read_number(line->field[0]);
    if (key->number == 0)
        return weir_fail(err, WEIR_E_RANGE, tok, LINE_HINT, "the number of a key is 1 to %u", WEIR_KEY_NUMBER_MAX);
    if (!name_fits(line->field[1].at, line->field[1].size))
        return weir_fail(err, WEIR_E_RANGE, tok, LINE_HINT,
                         "the name of a key is 1 to %u letters, digits, dots, hyphens and underscores",
                         WEIR_KEY_NAME_MAX);
    memcpy(key->name, line->field[1].at, line->field[1].size);
    key->name[line->field[1].size] = '\0';
    return read_bytes(key->bytes, line->field[2], tok, err);
}

static int add_line(struct weir_keys *keys, const struct line *line, const struct weir_tok *tok, struct weir_err *err)
{
    struct weir_key *key = &keys->key[keys->count];
    int code;
    if (line->fields == 0 || line->field[0].at[0] == '#')
        return 0;
    if (keys->count == WEIR_KEYS_MAX)
        return weir_fail(err, WEIR_E_RANGE, tok, "remove keys that no peer has any longer",
                         "a file has at most %u keys", WEIR_KEYS_MAX);
    code = read_key(key, line, tok, err);
    if (code != 0)
        return code;
    if (weir_keys_find(keys, key->number) != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, tok, "peers name a key by its number: give each its own",
                         "the key %u is in the file twice", (unsigned)key->number);
    keys->count++;
    return 0;
}

static int parse_lines(struct weir_keys *keys, const char *text, size_t size, const char *file, struct weir_err *err)
{
    struct weir_tok tok = { .file = file, .line = 1 };
    int code = 0;
    for (size_t at = 0; at < size && code == 0; tok.line++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        struct line line = split(text + at, length);
        code = add_line(keys, &line, &tok, err);
        at += length + 1;
    }
    if (code != 0 || keys->count > 0)
        return code;
    tok.line = 0;
    return weir_fail(err, WEIR_E_SYNTAX, &tok, LINE_HINT, "there is no key in the file");
}

int weir_keys_parse(struct weir_keys *keys, const char *text, size_t size, const char *file, struct weir_err *err)
{
    int code;
    WEIR_ASSERT(weir_crypto_ready());
    memset(keys, 0, sizeof(*keys));
    code = parse_lines(keys, text, size, file, err);
    if (code != 0)
        weir_keys_wipe(keys);
    WEIR_ASSERT((code == 0) == (keys->count > 0));
    return code;
}

/* Checks an open file: its kind, and who may read it. @return 0, or a code with err */
static int check_file(int fd, const struct weir_tok *tok, struct weir_err *err)
{
    struct stat at;
    char hint[320];
    if (fstat(fd, &at) != 0)
        return weir_fail(err, WEIR_E_FILE, tok, NULL, "%s", strerror(errno));
    if (!S_ISREG(at.st_mode))
        return weir_fail(err, WEIR_E_FILE, tok, "keys are read from a regular file alone", "%s",
                         S_ISDIR(at.st_mode) ? "it is a folder, not a file of keys" : "it is not a regular file");
    if ((at.st_mode & MODE_MASK & ~MODE_MAX) == 0)
        return 0;
    (void)snprintf(hint, sizeof(hint), "chmod 600 %.255s, and make a new key if anybody has read this one", tok->file);
    return weir_fail(err, WEIR_E_FILE, tok, hint, "its mode is %04o: a file of keys must be 0600 or stricter",
                     (unsigned)(at.st_mode & MODE_MASK));
}

/* Reads up to `room` bytes. @return bytes read; -1 with errno */
static ssize_t read_all(int fd, char *out, size_t room)
{
    size_t size = 0;
    while (size < room) {
        ssize_t got = read(fd, out + size, room - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        size += (size_t)got;
    }
    return (ssize_t)size;
}

static int read_open(struct weir_keys *keys, int fd, const struct weir_tok *tok, struct weir_err *err)
{
    char text[WEIR_KEY_FILE_MAX + 1];
    ssize_t size;
    int code = check_file(fd, tok, err);
    if (code != 0)
        return code;
    size = read_all(fd, text, sizeof(text));
    if (size < 0)
        code = weir_fail(err, WEIR_E_FILE, tok, NULL, "%s", strerror(errno));
    else if (size > (ssize_t)WEIR_KEY_FILE_MAX)
        code = weir_fail(err, WEIR_E_RANGE, tok, LINE_HINT, "a file of keys has at most %u bytes", WEIR_KEY_FILE_MAX);
    else
        code = weir_keys_parse(keys, text, (size_t)size, tok->file, err);
    weir_crypto_wipe(text, sizeof(text));
    return code;
}

int weir_keys_read(struct weir_keys *keys, const char *path, struct weir_err *err)
{
    const struct weir_tok tok = { .file = path };
    int code = weir_keys_possible(err), fd;
    memset(keys, 0, sizeof(*keys));
    if (code != 0)
        return code;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a pipe is not waited for */
    if (fd < 0)
        return weir_fail(err, WEIR_E_FILE, &tok, errno == ENOENT ? "weir key new makes a file of one key" : NULL, "%s",
                         strerror(errno));
    code = read_open(keys, fd, &tok, err);
    (void)close(fd);
    return code;
}

const struct weir_key *weir_keys_find(const struct weir_keys *keys, uint32_t number)
{
    for (uint32_t i = 0; i < keys->count; i++)
        if (keys->key[i].number == number)
            return &keys->key[i];
    return NULL;
}

void weir_keys_wipe(struct weir_keys *keys)
{
    weir_crypto_wipe(keys, sizeof(*keys));
}

/* Writes a text to a new file, down to the disk. @return 0, or an errno */
static int write_all(int fd, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t put = write(fd, text + at, size - at);
        if (put < 0 && errno != EINTR)
            return errno;
        at += put > 0 ? (size_t)put : 0;
    }
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* Writes the text of a file with one new key. @return its length */
static size_t new_text(char *out, size_t room, uint32_t number, const char *name)
{
    uint8_t bytes[WEIR_KEY_BYTES];
    char base64[WEIR_BASE64_BYTES + 1];
    int length;
    weir_crypto_random(bytes, sizeof(bytes));
    weir_crypto_to_base64(base64, bytes);
    length = snprintf(out, room, "# NUMBER NAME KEY: the first key is used, all are accepted\n%" PRIu32 " %s %s\n",
                      number, name, base64);
    weir_crypto_wipe(bytes, sizeof(bytes));
    weir_crypto_wipe(base64, sizeof(base64));
    WEIR_ASSERT(length > 0 && (size_t)length < room);
    return (size_t)length;
}

int weir_key_create(const char *path, uint32_t number, const char *name, struct weir_err *err)
{
    const struct weir_tok tok = { .file = path };
    char text[256];
    int code = weir_keys_possible(err), fd, failed;
    WEIR_ASSERT(number >= 1 && number <= WEIR_KEY_NUMBER_MAX);
    WEIR_ASSERT(weir_key_name_fits(name));
    if (code != 0)
        return code;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return weir_fail(err, WEIR_E_FILE, &tok,
                         errno == EEXIST ? "to add a key, make another file and put its line into this one" : NULL,
                         "%s", errno == EEXIST ? "it is there already, and is left as it is" : strerror(errno));
    failed = write_all(fd, text, new_text(text, sizeof(text), number, name));
    weir_crypto_wipe(text, sizeof(text));
    if (close(fd) != 0 && failed == 0)
        failed = errno;
    if (failed == 0)
        return 0;
    (void)unlink(path);
    return weir_fail(err, WEIR_E_RUN, &tok, NULL, "the key cannot be written: %s", strerror(failed));
}
