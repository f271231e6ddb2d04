#include "client.h"

#include "arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct kv_client {
    kv_channel channel;
    kv_arena arena;  // words of the last reply
};

kv_client *kv_client_new(int fd) {
    kv_client *client = kv_alloc_zeroed(1, sizeof *client);
    kv_channel_init(&client->channel, fd);
    client->arena = KV_ARENA_EMPTY;
    return client;
}

void kv_client_free(kv_client *client) {
    kv_channel_close(&client->channel);
    kv_arena_free(&client->arena);
    free(client);
}

kv_status kv_client_send(kv_client *client, size_t count, const kv_slice *words) {
    kv_strbuf *out = &client->channel.out;
    kv_strbuf_append(out, words[0]);
    for (size_t i = 1; i < count; i++) {
        kv_strbuf_char(out, ' ');
        kv_strbuf_quoted(out, words[i]);
    }
    kv_strbuf_char(out, '\n');
    return kv_channel_flush(&client->channel);
}

kv_status kv_client_send_line(kv_client *client, kv_slice line) {
    kv_strbuf_append(&client->channel.out, line);
    kv_strbuf_char(&client->channel.out, '\n');
    return kv_channel_flush(&client->channel);
}

kv_status kv_client_receive(kv_client *client, kv_tokens *reply) {
    kv_slice line;
    kv_status status;
    while ((status = kv_channel_line(&client->channel, &line)) == KV_NOT_FOUND) {
        size_t count;
        status = kv_channel_wait(&client->channel);
        if (status == KV_OK)
            status = kv_channel_fill(&client->channel, &count);
        if (status != KV_OK)
            return status;
    }
    if (status != KV_OK)
        return status;
    kv_arena_reset(&client->arena);
    return kv_tokenize(line, &client->arena, reply) == KV_OK && reply->count > 0 ? KV_OK : KV_CORRUPT;
}

// The status that a reply stands for. Replies with something in them begin with `expected`.
static kv_status status_of(const kv_tokens *reply, const char *expected) {
    static const kv_status errors[] = {KV_NOT_A_NUMBER, KV_OVERFLOW, KV_BAD_ARGUMENT, KV_TOO_LONG, KV_IO};
    kv_slice head = reply->word[0];
    if (kv_slice_equal(head, kv_slice_of(expected)))
        return KV_OK;
    if (kv_slice_equal(head, KV_SLICE("NIL")))
        return KV_NOT_FOUND;
    if (kv_slice_equal(head, KV_SLICE("CONFLICT")))
        return KV_CONFLICT;
    if (kv_slice_equal(head, KV_SLICE("ERR")) && reply->count > 1)
        for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
            if (kv_slice_equal(reply->word[1], kv_slice_of(kv_status_name(errors[i]))))
                return errors[i];
    return KV_CORRUPT;
}

// Sends one request and waits for the first line of its reply.
static kv_status ask(kv_client *client, size_t count, const kv_slice *words, const char *expected, kv_tokens *reply) {
    kv_status sent = kv_client_send(client, count, words);
    if (sent != KV_OK)
        return sent;
    kv_status status = kv_client_receive(client, reply);
    return status == KV_OK ? status_of(reply, expected) : status;
}

static kv_status version_in(const kv_tokens *reply, uint64_t *version) {
    uint64_t number;
    if (reply->count < 2 || !kv_slice_to_u64(reply->word[1], &number))
        return KV_CORRUPT;
    if (version)
        *version = number;
    return KV_OK;
}

kv_status kv_client_set(kv_client *client, kv_slice key, kv_slice value, uint64_t *version) {
    kv_tokens reply;
    kv_status status = ask(client, 3, (kv_slice[]){KV_SLICE("SET"), key, value}, "OK", &reply);
    return status == KV_OK ? version_in(&reply, version) : status;
}

kv_status kv_client_get(kv_client *client, kv_slice key, kv_strbuf *value, uint64_t *version) {
    kv_tokens reply;
    kv_status status = ask(client, 2, (kv_slice[]){KV_SLICE("GET"), key}, "VALUE", &reply);
    if (status != KV_OK)
        return status;
    if (reply.count != 3 || version_in(&reply, version) != KV_OK)
        return KV_CORRUPT;
    kv_strbuf_append(value, reply.word[2]);
    return KV_OK;
}

kv_status kv_client_del(kv_client *client, kv_slice key) {
    kv_tokens reply;
    return ask(client, 2, (kv_slice[]){KV_SLICE("DEL"), key}, "OK", &reply);
}

static kv_slice decimal(char *digits, size_t size, int64_t number) {
    int len = snprintf(digits, size, "%" PRId64, number);
    return (kv_slice){digits, (size_t)len};
}

kv_status kv_client_incr(kv_client *client, kv_slice key, int64_t by, int64_t *result) {
    char digits[24];
    kv_tokens reply;
    kv_slice words[] = {KV_SLICE("INCR"), key, decimal(digits, sizeof digits, by)};
    kv_status status = ask(client, 3, words, "INT", &reply);
    if (status != KV_OK)
        return status;
    return reply.count == 2 && kv_slice_to_i64(reply.word[1], result) ? KV_OK : KV_CORRUPT;
}

kv_status kv_client_cas(kv_client *client, kv_slice key, uint64_t expected, kv_slice value, uint64_t *version) {
    char digits[24];
    kv_tokens reply;
    kv_slice words[] = {KV_SLICE("CAS"), key, decimal(digits, sizeof digits, (int64_t)expected), value};
    kv_status status = ask(client, 4, words, "OK", &reply);
    return status == KV_OK ? version_in(&reply, version) : status;
}

kv_status kv_client_expire(kv_client *client, kv_slice key, uint64_t after_ms) {
    char digits[24];
    kv_tokens reply;
    kv_slice words[] = {KV_SLICE("EXPIRE"), key, decimal(digits, sizeof digits, (int64_t)after_ms)};
    return ask(client, 3, words, "OK", &reply);
}

// Asks for a list and calls `each` for the words of every line of it.
static kv_status ask_list(kv_client *client, size_t count, const kv_slice *words, void (*each)(void *context, const kv_tokens *line),
                          void *context) {
    kv_tokens reply;
    uint64_t lines;
    kv_status status = ask(client, count, words, "LIST", &reply);
    if (status == KV_OK)
        status = version_in(&reply, &lines);
    for (uint64_t i = 0; status == KV_OK && i < lines; i++) {
        status = kv_client_receive(client, &reply);
        if (status == KV_OK)
            each(context, &reply);
    }
    return status;
}

typedef struct {
    void (*each)(void *context, kv_slice key);
    void *context;
} key_visit;

static void visit_key(void *context, const kv_tokens *line) {
    key_visit *visit = context;
    visit->each(visit->context, line->word[0]);
}

kv_status kv_client_keys(kv_client *client, kv_slice pattern, void (*each)(void *context, kv_slice key), void *context) {
    key_visit visit = {each, context};
    return ask_list(client, 2, (kv_slice[]){KV_SLICE("KEYS"), pattern}, visit_key, &visit);
}

typedef struct {
    kv_slice name;
    uint64_t count;
    bool found;
} stat_search;

static void match_stat(void *context, const kv_tokens *line) {
    stat_search *search = context;
    if (line->count == 2 && kv_slice_equal(line->word[0], search->name))
        search->found = kv_slice_to_u64(line->word[1], &search->count);
}

kv_status kv_client_stat(kv_client *client, kv_slice name, uint64_t *count) {
    stat_search search = {name, 0, false};
    kv_status status = ask_list(client, 1, (kv_slice[]){KV_SLICE("STATS")}, match_stat, &search);
    if (status == KV_OK && !search.found)
        return KV_NOT_FOUND;
    *count = search.count;
    return status;
}

kv_status kv_client_ping(kv_client *client) {
    kv_tokens reply;
    return ask(client, 1, (kv_slice[]){KV_SLICE("PING")}, "PONG", &reply);
}

kv_status kv_client_quit(kv_client *client) {
    kv_tokens reply;
    kv_status status = ask(client, 1, (kv_slice[]){KV_SLICE("QUIT")}, "BYE", &reply);
    kv_client_free(client);
    return status;
}
