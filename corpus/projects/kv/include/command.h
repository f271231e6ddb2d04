// The commands of the protocol. A request is a line of words (tokens.h), a reply one line or several:
//
//     SET key value           OK version
//     GET key                 VALUE version value | NIL
//     DEL key                 OK | NIL
//     INCR key [by]           INT sum
//     CAS key version value   OK version | CONFLICT | NIL
//     EXPIRE key ms           OK | NIL             (0: takes the deadline back)
//     KEYS [pattern]          LIST n, and n lines with a key each
//     STATS                   LIST n, and n lines with a name and a number each
//     PING                    PONG
//     QUIT                    BYE, and the server hangs up
//
// What goes wrong is answered with `ERR name text`, where the name is that of the status.
#ifndef KV_COMMAND_H
#define KV_COMMAND_H

#include "store.h"
#include "tokens.h"

// Runs one request and appends the reply. False: hang up when the reply has been sent.
bool kv_command_run(kv_store *store, const kv_tokens *request, kv_strbuf *reply);
void kv_command_error(kv_strbuf *reply, kv_status status, const char *text);

#endif
