/* test/fuzz/hostile_pages.c - changes a closed result file byte by byte, by the file format of SQLite
 * (https://www.sqlite.org/fileformat2.html), and puts files beside it. */
#include "test/fuzz/hostile.h"
#include "core/assert.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADER = 100,
    LEAF = 0x0d, /* of a table with row numbers */
    PAGE_MAX = 65536,
    CELL_TYPES = 64, /* columns of a row, at most */
};
#define LARGE_BYTES UINT64_C(500000000)

struct file {
    int fd;
    uint32_t page_bytes;
    uint64_t pages;
};

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Reads a number of seven bits a byte. *at moves behind it. */
static uint64_t get_varint(const uint8_t **at)
{
    uint64_t value = 0;
    for (int i = 0; i < 9; i++) {
        uint8_t byte = *(*at)++;
        value = value << 7 | (byte & 0x7f);
        if (byte < 0x80)
            break;
    }
    return value;
}

static size_t put_varint(uint8_t *at, uint64_t value)
{
    size_t count = 1;
    for (uint64_t rest = value >> 7; rest > 0; rest >>= 7)
        count++;
    for (size_t i = 0; i < count; i++)
        at[i] = (uint8_t)((value >> 7 * (count - 1 - i) & 0x7f) | (i + 1 < count ? 0x80 : 0));
    return count;
}

static void write_at(const struct file *f, const void *data, size_t size, uint64_t at)
{
    if (pwrite(f->fd, data, size, (off_t)at) != (ssize_t)size)
        abort();
}

/* Opens the file of a plan. page_bytes is 0 if its header names none. */
static struct file open_pages(const struct hostile *h)
{
    struct file f = { .fd = open(h->path, O_RDWR | O_CLOEXEC) };
    uint8_t header[HEADER] = { 0 };
    struct stat there;
    if (f.fd < 0 || fstat(f.fd, &there) != 0 || pread(f.fd, header, sizeof(header), 0) < 0)
        abort();
    f.page_bytes = (uint32_t)header[16] << 8 | header[17];
    if (f.page_bytes == 1)
        f.page_bytes = PAGE_MAX;
    if (f.page_bytes < 512 || (f.page_bytes & (f.page_bytes - 1)) != 0)
        f.page_bytes = 4096;
    f.pages = (uint64_t)there.st_size / f.page_bytes;
    return f;
}

/* Makes the file longer, and its header name the pages. Blocks that are never written take no room on the disk. */
static void lengthen(const struct file *f, uint64_t bytes)
{
    uint8_t pages[4];
    put32(pages, (uint32_t)(bytes / f->page_bytes));
    if (ftruncate(f->fd, (off_t)(bytes / f->page_bytes * f->page_bytes)) != 0)
        abort();
    write_at(f, pages, sizeof(pages), 28);
}

/* Fills a leaf with one row of `columns` columns, of which the second is a text of LARGE_BYTES. The text goes on in `next`. */
static void put_cell(uint8_t *page, uint32_t page_bytes, uint32_t columns, uint32_t next)
{
    uint8_t types[CELL_TYPES + 16], cell[64];
    size_t used = 1, head; /* types[0]: bytes of the header, which are fewer than 128 */
    uint64_t payload, most = page_bytes - 35, least = (page_bytes - 12) * 32 / 255 - 23, local;
    for (uint32_t c = 0; c < columns; c++)
        used += put_varint(types + used, c == 1 ? 2 * LARGE_BYTES + 13 : 0); /* 0: NULL */
    types[0] = (uint8_t)used;
    payload = used + LARGE_BYTES;
    local = least + (payload - least) % (page_bytes - 4);
    local = local <= most ? local : least;
    head = put_varint(cell, payload);
    head += put_varint(cell + head, 1); /* number of the row */
    memset(page, 0, page_bytes);
    page[0] = LEAF;
    page[4] = 1;
    size_t at = page_bytes - (head + local + 4);
    page[5] = (uint8_t)(at >> 8), page[6] = (uint8_t)at;
    page[8] = (uint8_t)(at >> 8), page[9] = (uint8_t)at;
    memcpy(page + at, cell, head);
    memset(page + at + head, 'x', local);
    memcpy(page + at + head, types, used);
    put32(page + at + head + local, next);
}

/* Counts the columns of the first row of a leaf. */
static uint32_t columns_of(const uint8_t *page)
{
    const uint8_t *at = page + ((uint32_t)page[8] << 8 | page[9]), *end;
    uint32_t columns = 0;
    (void)get_varint(&at);
    (void)get_varint(&at);
    end = at;
    end += get_varint(&at);
    while (at < end && columns < CELL_TYPES) {
        (void)get_varint(&at);
        columns++;
    }
    return columns;
}

void hostile_cell(struct hostile *h)
{
    static uint8_t page[PAGE_MAX];
    struct file f = open_pages(h);
    uint64_t first = 1 + hostile_draw(h->plan, 256);
    for (uint64_t i = 0; f.pages > 2 && i < f.pages; i++) {
        uint64_t at = 1 + (first + i) % (f.pages - 1); /* not page 1, which begins with the header */
        if (pread(f.fd, page, f.page_bytes, (off_t)(at * f.page_bytes)) != (ssize_t)f.page_bytes)
            break;
        if (page[0] != LEAF || page[3] != 0 || page[4] == 0)
            continue;
        put_cell(page, f.page_bytes, columns_of(page), (uint32_t)f.pages);
        write_at(&f, page, f.page_bytes, at * f.page_bytes);
        memset(page, 'x', f.page_bytes); /* the last page follows itself: a text without an end */
        put32(page, (uint32_t)f.pages);
        write_at(&f, page, f.page_bytes, (f.pages - 1) * f.page_bytes);
        lengthen(&f, LARGE_BYTES + (1 << 20));
        break;
    }
    (void)close(f.fd);
}

void hostile_long(struct hostile *h)
{
    struct file f = open_pages(h);
    lengthen(&f, LARGE_BYTES);
    (void)close(f.fd);
}

void hostile_circle(struct hostile *h)
{
    struct file f = open_pages(h);
    uint8_t number[4];
    for (uint32_t i = 0, n = 1 + hostile_draw(h->plan, 8); f.pages > 0 && i < n; i++) {
        uint32_t page = hostile_draw(h->plan, 256) % (uint32_t)f.pages, to = hostile_draw(h->plan, 256);
        /* where a page has its last child, its next page, its first cells; or anywhere */
        static const uint32_t places[] = { 8, 0, 12, 16, 20 };
        uint32_t at = hostile_draw(h->plan, 8);
        at = at < 5 ? places[at] : hostile_draw(h->plan, 65536) % (f.page_bytes - 4);
        put32(number, 1 + to % (uint32_t)f.pages);
        write_at(&f, number, sizeof(number), (uint64_t)page * f.page_bytes + at);
    }
    (void)close(f.fd);
}

/* Writes bytes at places below `limit`. */
static void spoil(struct hostile *h, uint64_t limit, uint32_t most)
{
    struct file f = open_pages(h);
    for (uint32_t i = 0, n = 1 + hostile_draw(h->plan, most); limit > 0 && i < n; i++) {
        uint64_t at = ((uint64_t)hostile_draw(h->plan, 65536) << 8 | hostile_draw(h->plan, 256)) % limit;
        uint8_t byte = (uint8_t)hostile_draw(h->plan, 256);
        write_at(&f, &byte, 1, at);
    }
    (void)close(f.fd);
}

void hostile_bytes(struct hostile *h)
{
    struct file f = open_pages(h);
    uint64_t size = f.pages * f.page_bytes;
    (void)close(f.fd);
    spoil(h, size, 40);
}

void hostile_header(struct hostile *h)
{
    spoil(h, HEADER, 4);
}

void hostile_cut(struct hostile *h)
{
    struct file f = open_pages(h);
    uint64_t size = f.pages * f.page_bytes, kept = hostile_draw(h->plan, 65536);
    if (ftruncate(f.fd, (off_t)(kept * size >> 16)) != 0)
        abort();
    (void)close(f.fd);
}

static void write_beside(const struct hostile *h, const char *end, const uint8_t *data, size_t size)
{
    char name[512];
    FILE *file;
    (void)snprintf(name, sizeof(name), "%s%s", h->path, end);
    file = fopen(name, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

/* A journal of a transaction over several files names a file that lists them. SQLite removes that file once it has
 * undone the transaction: the stranger's journal names a file of the user. */
void hostile_journal(struct hostile *h)
{
    static const uint8_t magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    uint8_t data[1024] = { 0 };
    size_t length = strlen(h->victim), at = 512; /* behind the header, a sector long */
    uint32_t sum = 0;
    WEIR_ASSERT(length < 400);
    memcpy(data, magic, sizeof(magic));
    put32(data + 16, get32(data)); /* pages of the file before: any */
    put32(data + 20, 512);
    put32(data + 24, 4096);
    if (hostile_draw(h->plan, 4) > 0)
        put32(data + 16, 1u << hostile_draw(h->plan, 6));
    put32(data + at, 0x40000000 / 4096 + 1);
    memcpy(data + at + 4, h->victim, length);
    for (size_t i = 0; i < length; i++)
        sum += (uint8_t)h->victim[i];
    put32(data + at + 4 + length, (uint32_t)length);
    put32(data + at + 8 + length, sum);
    memcpy(data + at + 12 + length, magic, sizeof(magic));
    write_beside(h, "-journal", data, at + 20 + length);
}

void hostile_log(struct hostile *h)
{
    uint8_t data[4096] = { 0x37, 0x7f, 0x06, 0x82, 0x00, 0x2d, 0xe2, 0x18, 0, 0, 0x10, 0 };
    for (size_t i = 12; i < 64; i++)
        data[i] = (uint8_t)hostile_draw(h->plan, 256);
    write_beside(h, "-wal", data, hostile_draw(h->plan, 4096));
}
