// A client: sends requests over a stream socket and reads the replies. One thread at a time.
#ifndef KV_CLIENT_H
#define KV_CLIENT_H

#include "channel.h"
#include "tokens.h"

typedef struct kv_client kv_client;

// Takes over the socket.
kv_client *kv_client_new(int fd);
// Hangs up without a word.
void kv_client_free(kv_client *client);

// One call is one request and its reply. KV_CLOSED: the server has hung up, and the request may or may not have been carried out.
kv_status kv_client_set(kv_client *client, kv_slice key, kv_slice value, uint64_t *version);
// Appends the value to `value`.
kv_status kv_client_get(kv_client *client, kv_slice key, kv_strbuf *value, uint64_t *version);
kv_status kv_client_del(kv_client *client, kv_slice key);
kv_status kv_client_incr(kv_client *client, kv_slice key, int64_t by, int64_t *result);
kv_status kv_client_cas(kv_client *client, kv_slice key, uint64_t expected, kv_slice value, uint64_t *version);
kv_status kv_client_expire(kv_client *client, kv_slice key, uint64_t after_ms);
// Calls `each` for every key; the key is good during the call.
kv_status kv_client_keys(kv_client *client, kv_slice pattern, void (*each)(void *context, kv_slice key), void *context);
// One of the server's counters. KV_NOT_FOUND if it has none of that name.
kv_status kv_client_stat(kv_client *client, kv_slice name, uint64_t *count);
kv_status kv_client_ping(kv_client *client);
// Waits for the server's goodbye and frees the client.
kv_status kv_client_quit(kv_client *client);

// For who wants several requests under way: send them, then receive as many replies in the same order.
kv_status kv_client_send(kv_client *client, size_t count, const kv_slice *words);
kv_status kv_client_send_line(kv_client *client, kv_slice line);
// The next line of the server's, split into words that are good until the next call. KV_CORRUPT if it cannot be split.
kv_status kv_client_receive(kv_client *client, kv_tokens *reply);

#endif
