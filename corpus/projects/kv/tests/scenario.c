#include "scenario.h"

#include <stdio.h>

static bool append_to_buffer(void *context, kv_slice records) {
    if (context)
        kv_strbuf_append(context, records);
    return true;
}

kv_server *start_server(const kv_config *config, kv_strbuf *log) {
    kv_strbuf message = KV_STRBUF_EMPTY;
    kv_server *server = kv_server_start(config, (kv_sink){append_to_buffer, log}, &message);
    if (!server)
        fprintf(stderr, "kvtest: %s\n", message.data);
    kv_strbuf_free(&message);
    assert(server);
    return server;
}

void end_server(kv_server *server) {
    assert(kv_server_stop(server) == KV_OK);
    kv_server_free(server);
}

kv_client *connect_client(kv_server *server) {
    int fd = -1;
    assert(kv_server_connect(server, &fd) == KV_OK);
    return kv_client_new(fd);
}

void expect_value(kv_client *client, const char *key, const char *value) {
    kv_strbuf found = KV_STRBUF_EMPTY;
    assert(kv_client_get(client, kv_slice_of(key), &found, NULL) == KV_OK);
    assert(kv_slice_equal(kv_strbuf_slice(&found), kv_slice_of(value)));
    kv_strbuf_free(&found);
}

void expect_missing(kv_client *client, const char *key) {
    kv_strbuf found = KV_STRBUF_EMPTY;
    assert(kv_client_get(client, kv_slice_of(key), &found, NULL) == KV_NOT_FOUND);
    kv_strbuf_free(&found);
}

void expect_stat(kv_client *client, const char *name, uint64_t count) {
    uint64_t found;
    assert(kv_client_stat(client, kv_slice_of(name), &found) == KV_OK);
    assert(found == count);
}

uint64_t must_set(kv_client *client, const char *key, const char *value) {
    uint64_t version = 0;
    assert(kv_client_set(client, kv_slice_of(key), kv_slice_of(value), &version) == KV_OK);
    return version;
}

bool table_has(kv_table *table, const char *key, const char *value) {
    kv_value *found = NULL;
    if (kv_table_get(table, kv_slice_of(key), &found, NULL) != KV_OK)
        return value == NULL;
    bool equal = value && kv_slice_equal(kv_value_slice(found), kv_slice_of(value));
    kv_value_unref(found);
    return equal;
}
