// The server: connections are handed to it as descriptors, wait in the pool's queue and are served by a worker each until the client hangs
// up, says QUIT, or the server stops.
#ifndef KV_SERVER_H
#define KV_SERVER_H

#include "store.h"

typedef struct kv_server kv_server;

// NULL if the configuration makes no sense, and `message` says why.
kv_server *kv_server_start(const kv_config *config, kv_sink sink, kv_strbuf *message);
// Takes over a stream socket and serves what comes from it. Waits while the queue is full. KV_STOPPED: the server is stopping, the socket has been
// closed. Any thread may call it, also while another one stops the server.
kv_status kv_server_attach(kv_server *server, int fd);
// Makes a pair of sockets, attaches one and returns the other.
kv_status kv_server_connect(kv_server *server, int *fd);
// Graceful: requests that have arrived are answered, then connections are closed, threads end, and the log is flushed. The store can still be
// read afterwards. One thread, once.
kv_status kv_server_stop(kv_server *server);
// After kv_server_stop, when nobody uses the server.
void kv_server_free(kv_server *server);

kv_store *kv_server_store(kv_server *server);

#endif
