// One end of a stream socket: what has been read and not yet been used, what is to be sent. Both the server's connections and the
// client are built on it. One thread at a time.
#ifndef KV_CHANNEL_H
#define KV_CHANNEL_H

#include "status.h"
#include "strbuf.h"

typedef struct {
    int fd;
    int wake_fd;    // -1, or a descriptor that becomes readable when waiting must end
    int idle_ms;    // how long to wait for the other end, -1 for ever
    size_t limit;   // longest line
    kv_strbuf in;
    size_t used;    // bytes at the front of `in` that have been taken
    kv_strbuf out;
} kv_channel;

// Takes over the descriptor.
void kv_channel_init(kv_channel *channel, int fd);
void kv_channel_close(kv_channel *channel);

// Waits until something can be read. KV_STOPPED: woken; KV_CLOSED: idle for too long.
kv_status kv_channel_wait(kv_channel *channel);
// Reads what is there, without waiting. `count` is 0 if nothing is. KV_CLOSED at the end of the stream.
kv_status kv_channel_fill(kv_channel *channel, size_t *count);
// Takes the next complete line. It is good until the next call of kv_channel_fill. KV_NOT_FOUND: there is none yet; KV_TOO_LONG: it is
// over the limit already.
kv_status kv_channel_line(kv_channel *channel, kv_slice *line);
// Sends all of `out`, and waits if the other end is slow. KV_STOPPED: woken before all was sent.
kv_status kv_channel_flush(kv_channel *channel);

#endif
