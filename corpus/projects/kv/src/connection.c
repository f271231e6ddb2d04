#include "connection.h"

#include "channel.h"
#include "command.h"

#include <stdlib.h>

struct kv_connection {
    kv_channel channel;
    kv_store *store;
    kv_arena arena;  // words of the request at hand
    bool open;
};

kv_connection *kv_connection_new(int fd, int wake_fd, kv_store *store) {
    kv_connection *connection = kv_alloc_zeroed(1, sizeof *connection);
    kv_channel_init(&connection->channel, fd);
    connection->channel.wake_fd = wake_fd;
    if (store->config.idle_ms > 0)
        connection->channel.idle_ms = (int)store->config.idle_ms;
    // Four characters for each byte of an escaped value, and something for the rest.
    connection->channel.limit = 4 * store->config.max_value_bytes + 4 * KV_KEY_MAX + 64;
    connection->store = store;
    connection->arena = KV_ARENA_EMPTY;
    connection->open = true;
    return connection;
}

void kv_connection_free(kv_connection *connection) {
    kv_channel_close(&connection->channel);
    kv_arena_free(&connection->arena);
    free(connection);
}

static void run_line(kv_connection *connection, kv_slice line) {
    kv_tokens request;
    if (kv_tokenize(line, &connection->arena, &request) != KV_OK)
        kv_command_error(&connection->channel.out, KV_BAD_ARGUMENT, "cannot make words of the line");
    else if (request.count > 0)
        connection->open = kv_command_run(connection->store, &request, &connection->channel.out);
    kv_arena_reset(&connection->arena);
}

// Answers all complete requests that have been read, and sends the answers in one go.
static void run_lines(kv_connection *connection) {
    kv_slice line;
    kv_status status = KV_OK;
    while (connection->open && (status = kv_channel_line(&connection->channel, &line)) == KV_OK)
        run_line(connection, line);
    if (status == KV_TOO_LONG) {
        kv_command_error(&connection->channel.out, status, "the line is too long");
        connection->open = false;
    }
    if (kv_channel_flush(&connection->channel) != KV_OK)
        connection->open = false;
}

// The server stops: answers what has arrived, but no more than the longest line, lest a client that never pauses hold up the end.
static void drain(kv_connection *connection) {
    size_t total = 0, count;
    do {
        if (kv_channel_fill(&connection->channel, &count) != KV_OK)
            connection->open = false;
        total += count;
        run_lines(connection);
    } while (connection->open && count > 0 && total <= connection->channel.limit);
    connection->open = false;
}

void kv_connection_serve(void *argument) {
    kv_connection *connection = argument;
    size_t count;
    kv_count(&connection->store->stats.connections);
    while (connection->open) {
        kv_status status = kv_channel_wait(&connection->channel);
        if (status == KV_STOPPED)
            drain(connection);
        else if (status != KV_OK || kv_channel_fill(&connection->channel, &count) != KV_OK)
            connection->open = false;
        else
            run_lines(connection);
    }
    kv_connection_free(connection);
}
