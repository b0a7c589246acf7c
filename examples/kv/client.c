/* examples/kv/client.c - kv get, put and delete: one call each. */
#include "kv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client {
    bool ended;
    int result;
};

static void ended(void *context, uint64_t tag, int result, const unsigned char *data, size_t bytes)
{
    struct client *client = context;
    (void)tag;
    client->ended = true;
    client->result = result;
    if (bytes > 0)
        (void)fwrite(data, 1, bytes, stdout);
    if (result == 0 && bytes > 0 && isatty(STDOUT_FILENO))
        (void)putchar('\n');
}

size_t kv_write_head(unsigned char *head, const struct kv_request *request)
{
    const size_t key_bytes = strlen(request->key);
    head[0] = (unsigned char)request->op;
    head[1] = (unsigned char)key_bytes;
    memcpy(head + 2, request->key, key_bytes);
    return 2 + key_bytes;
}

/* Reads the value of a put. @return NULL: no memory, or it is too large; a sentence was printed */
static struct kv_value *value_of(const struct kv_args *args)
{
    const size_t text_bytes = args->value != NULL ? strlen(args->value) : 0;
    struct kv_value *value = NULL;
    char *read_in = args->value == NULL ? malloc(KV_VALUE_MAX + 1) : NULL;
    size_t bytes = read_in != NULL ? fread(read_in, 1, KV_VALUE_MAX + 1, stdin) : text_bytes;
    if (bytes > KV_VALUE_MAX)
        fprintf(stderr, "kv put: the value is larger than %d bytes\n", KV_VALUE_MAX);
    else if (args->value == NULL && (read_in == NULL || ferror(stdin)))
        fprintf(stderr, "kv put: the value cannot be read from standard input\n");
    else if ((value = kv_value_new(NULL, read_in != NULL ? read_in : args->value, bytes)) == NULL)
        fprintf(stderr, "kv put: there is no memory\n");
    free(read_in);
    return value;
}

static int execute(const struct kv_args *args, void *end, struct kv_request *request, struct client *client)
{
    const struct kv_transport *transport = args->transport;
    const char *at;
    int result = 0;
    for (uint32_t i = 0; i < args->servers && result == 0; i++)
        result = transport->add_server(end, &args->server[i]);
    request->server = kv_server_of(args->key, args->servers);
    at = args->server_text[request->server];
    if (result == 0)
        result = transport->call(end, request);
    while (result == 0 && !client->ended)
        result = transport->poll(end, -1);
    result = result == 0 ? client->result : result;
    if (result > 0)
        fprintf(stderr, "kv: %s: %s\n", args->key, kv_error_text(result));
    else if (result < 0)
        fprintf(stderr, "kv: %s: %s\n", at, transport->why(result));
    return result == 0 ? 0 : result > 0 ? 1 : 3;
}

int kv_client(const struct kv_args *args, enum kv_op op)
{
    struct client client = { 0 };
    struct kv_request request = { .op = op, .key = args->key };
    const struct kv_handler handler = { .context = &client, .ended = ended };
    void *end;
    int status = 2;
    if (op == KV_PUT && (request.value = value_of(args)) == NULL)
        return 3;
    if (kv_open(args, &end, &handler) == 0) {
        status = execute(args, end, &request, &client);
        args->transport->close(end);
    }
    kv_value_drop(request.value);
    return status;
}
