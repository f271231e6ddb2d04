// A client's connection, as the server has it.
#ifndef KV_CONNECTION_H
#define KV_CONNECTION_H

#include "store.h"

typedef struct kv_connection kv_connection;

// Takes over `fd`; `wake_fd` becomes readable when the server stops.
kv_connection *kv_connection_new(int fd, int wake_fd, kv_store *store);
void kv_connection_free(kv_connection *connection);
// The job of a worker: serves the connection until its end, and frees it.
void kv_connection_serve(void *connection);

#endif
