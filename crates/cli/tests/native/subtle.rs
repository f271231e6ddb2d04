//! Programs that were once judged wrongly, each with what is right.

use crate::building::build;
use crate::run::{Scratch, caissa};

/// What they all include.
const HEAD: &str = "#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
";

/// Checks a program without faults, in one process or in copies, and expects this.
#[track_caller]
pub fn judged(text: &str, code: i32, part: &str) {
    judged_with(text, &[], code, part);
}

/// A correct program.
#[track_caller]
pub fn passes(text: &str) {
    judged(text, 0, "assuming sequential consistency");
}

/// The same with options.
#[track_caller]
pub fn judged_with(text: &str, options: &[&str], code: i32, part: &str) {
    let scratch = Scratch::new();
    let source = scratch.write("program.c", format!("{HEAD}{text}"));
    let program = scratch.path().join("program");
    build(source.as_ref(), "gcc", &["-w"], &program);
    let program = program.display().to_string();
    let modes: &[&str] = if options.contains(&"--mode") { &["os"] } else { &["auto", "fork"] };
    for mode in modes {
        let mut words = vec!["check", &program, "--faults", "0", "--quiet", "--hang", "5"];
        words.extend(options);
        if !options.contains(&"--mode") {
            words.extend(["--mode", mode]);
        }
        caissa(&words).expect(code, &[part]);
    }
}

#[test]
fn a_recursive_mutex_is_there_for_its_holder_whoever_else_is_woken_to_wait_for_it() {
    judged(
        r#"
pthread_mutex_t m; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;
void *waiter(void *a){ pthread_mutex_lock(&m); while(!ready) pthread_cond_wait(&c,&m); pthread_mutex_unlock(&m); return 0;}
void *rec(void *a){ pthread_mutex_lock(&m); ready=1; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);
  pthread_cond_signal(&c); return 0;}
int main(){ pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at,PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m,&at);
 pthread_t a,b; pthread_create(&a,0,waiter,0); pthread_create(&b,0,rec,0);
 pthread_cond_signal(&c);
 pthread_join(a,0); pthread_join(b,0); return 0;}
"#,
        0,
        "bounded",
    );
}

#[test]
fn who_is_cancelled_before_it_waits_at_a_condition_variable_does_not_wait() {
    judged(
        r#"
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void un(void*a){ pthread_mutex_unlock(&m);}
void *waiter(void *a){ pthread_mutex_lock(&m); pthread_cleanup_push(un,0); for(;;) pthread_cond_wait(&c,&m); pthread_cleanup_pop(1); return 0;}
int main(){ pthread_t a; pthread_create(&a,0,waiter,0); pthread_cancel(a); void*r; pthread_join(a,&r); assert(r==PTHREAD_CANCELED); return 0;}
"#,
        0,
        "verified",
    );
}

#[test]
fn who_is_cancelled_before_it_waits_at_a_semaphore_does_not_wait() {
    judged(
        r#"
sem_t s;
void *waiter(void *a){ struct timespec ts={1900000000,0}; sem_timedwait(&s,&ts); assert(0 && "not cancelled"); return 0;}
int main(){ sem_init(&s,0,0); pthread_t a; pthread_create(&a,0,waiter,0); pthread_cancel(a); void*r; pthread_join(a,&r); assert(r==PTHREAD_CANCELED); return 0;}
"#,
        0,
        "verified",
    );
}

#[test]
fn a_timed_join_waits() {
    judged(
        r#"
atomic_int x;
void *w(void *a){ x=1; return 0;}
int main(){ pthread_t a; pthread_create(&a,0,w,0); struct timespec ts; clock_gettime(CLOCK_REALTIME,&ts); ts.tv_sec+=3600; int r=pthread_timedjoin_np(a,0,&ts); assert(r==0); return 0;}
"#,
        0,
        "bounded",
    );
}

#[test]
fn a_timed_join_lets_time_pass_when_it_does_not_succeed() {
    judged(
        r#"
sem_t s;
void *w(void *a){ sem_wait(&s); return 0;}
int main(){ sem_init(&s,0,0); pthread_t a; pthread_create(&a,0,w,0); struct timespec ts,t2; clock_gettime(CLOCK_REALTIME,&ts); ts.tv_sec+=10; int r=pthread_timedjoin_np(a,0,&ts); clock_gettime(CLOCK_REALTIME,&t2); if(r==ETIMEDOUT) assert(t2.tv_sec>=ts.tv_sec); sem_post(&s); pthread_join(a,0); return 0;}
"#,
        0,
        "verified",
    );
}

#[test]
fn a_recursive_mutex_that_is_held_twice_is_not_given_up_by_waiting() {
    judged(
        r#"
pthread_mutex_t m; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;
void *waiter(void *a){ pthread_mutex_lock(&m); pthread_mutex_lock(&m); while(!ready) pthread_cond_wait(&c,&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); return 0;}
int main(){ pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at,PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m,&at);
 pthread_t a; pthread_create(&a,0,waiter,0);
 pthread_mutex_lock(&m); ready=1; pthread_mutex_unlock(&m); pthread_cond_signal(&c);
 pthread_join(a,0); return 0;}
"#,
        1,
        "deadlock",
    );
}

#[test]
fn a_cancellation_can_come_before_a_thread_asks_for_it() {
    judged(
        r#"
atomic_int x,y;
void *w(void *a){ x=1; pthread_testcancel(); y=1; return 0;}
int main(){ pthread_t a; pthread_create(&a,0,w,0); int saw = x; if(saw) pthread_cancel(a); pthread_join(a,0);
 
 assert(!(saw==1 && y==0)); return 0;}
"#,
        1,
        "fails an assertion",
    );
}

#[test]
fn a_robust_mutex_is_held_until_its_holder_has_ended() {
    judged(
        r#"
pthread_mutex_t m; atomic_int x;
void *w(void *a){ pthread_mutex_lock(&m); x=1; return 0;}
int main(){ pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_setrobust(&at,PTHREAD_MUTEX_ROBUST); pthread_mutex_init(&m,&at);
 pthread_t a; pthread_create(&a,0,w,0); if(x==1){ int r=pthread_mutex_trylock(&m); assert(r!=EBUSY);} pthread_join(a,0); return 0;}
"#,
        1,
        "fails an assertion",
    );
}

#[test]
fn waiting_at_a_condition_variable_tells_that_the_mutex_s_holder_has_died() {
    judged(
        r#"
pthread_mutex_t m; pthread_cond_t c=PTHREAD_COND_INITIALIZER; int waiting;
void *w(void *a){ pthread_mutex_lock(&m); if(waiting) pthread_cond_signal(&c); return 0;}
int main(){ pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_setrobust(&at,PTHREAD_MUTEX_ROBUST); pthread_mutex_init(&m,&at);
 pthread_t a; pthread_mutex_lock(&m); waiting=1; pthread_create(&a,0,w,0); int r=pthread_cond_wait(&c,&m); assert(r==EOWNERDEAD); pthread_mutex_consistent(&m); pthread_mutex_unlock(&m); pthread_join(a,0); return 0;}
"#,
        0,
        "verified",
    );
}

#[test]
fn realloc_writes() {
    judged(
        r#"
_Atomic(int*) p;
void *w(void *a){ int *q = atomic_load_explicit(&p,memory_order_relaxed); if(q) { volatile int v=0; v = q[0]; } return 0;}
int main(){ int *q = malloc(8); q[0]=5; pthread_t a; pthread_create(&a,0,w,0); q = realloc(q,4096); atomic_store_explicit(&p,q,memory_order_relaxed); pthread_join(a,0); return 0;}
"#,
        1,
        "data race",
    );
}

/// A program that asks for more than there can be is told so, as without us.
#[test]
fn what_no_heap_could_hold_is_refused() {
    passes(
        r#"
int main(){ volatile size_t much = (size_t)-1 / 2, all = -1, half = 1ul << 63, more = half + 1; int *volatile p = malloc(8); *p = 5; void *q = p;
 errno = 0; assert(!malloc(much) && errno == ENOMEM); errno = 0; assert(!malloc(all) && errno == ENOMEM);
 errno = 0; assert(!calloc(half, 2) && errno == ENOMEM); errno = 0; assert(!calloc(much, 1) && errno == ENOMEM);
 errno = 0; assert(!realloc(p, much) && errno == ENOMEM); assert(!reallocarray(p, much, 4) && *p == 5);
 assert(posix_memalign(&q, 64, much) == ENOMEM && posix_memalign(&q, half, 8) == ENOMEM && q == p);
 assert(!aligned_alloc(half, 8) && !memalign(more, 8) && !aligned_alloc(64, much & ~63ul)); free(p); return 0; }
"#,
    );
}

#[test]
fn calloc_writes() {
    judged(
        r#"
_Atomic(int*) p; int sink;
void *w(void *a){ int *q = atomic_load_explicit(&p,memory_order_relaxed); if(q) { sink = q[0]; } return 0;}
int main(){ pthread_t a; pthread_create(&a,0,w,0); int *q = calloc(4,4); atomic_store_explicit(&p,q,memory_order_relaxed); pthread_join(a,0); return 0;}
"#,
        1,
        "data race",
    );
}

#[test]
fn taking_from_a_semaphore_orders_nothing_for_those_who_look_at_it() {
    judged(
        r#"
sem_t s; int x, sink;
void *w(void *a){ x=1; sem_wait(&s); return 0;}
int main(){ sem_init(&s,0,1); pthread_t a; pthread_create(&a,0,w,0); int v; sem_getvalue(&s,&v); if(v==0) sink=x; pthread_join(a,0); return 0;}
"#,
        1,
        "data race",
    );
}

#[test]
fn a_condition_variable_can_be_used_with_an_errorcheck_mutex_that_is_not_held_it_says_so() {
    judged(
        r#"
pthread_mutex_t m; pthread_cond_t c=PTHREAD_COND_INITIALIZER; int ready;
void *w(void*a){ pthread_mutex_lock(&m); ready=1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0;}
int main(){ pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at,PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&m,&at);
 assert(pthread_mutex_unlock(&m)==EPERM); assert(pthread_cond_wait(&c,&m)==EPERM);
 pthread_t p; pthread_create(&p,0,w,0); pthread_mutex_lock(&m); assert(pthread_mutex_lock(&m)==EDEADLK); while(!ready) pthread_cond_wait(&c,&m); pthread_mutex_unlock(&m); pthread_join(p,0); }
"#,
        0,
        "bounded",
    );
}

#[test]
fn receiving_without_waiting_is_an_operation() {
    judged(
        r#"
// Whether the byte is there when the thread looks depends on the order; the assertion fails if main's send came first.
static int fds[2];
static void *server(void *a) {
    (void)a;
    char c;
    assert(recv(fds[0], &c, 1, MSG_DONTWAIT) != 1);
    return 0;
}
int main(void) {
    pthread_t t;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) return 1;
    pthread_create(&t, 0, server, 0);
    if (write(fds[1], "q", 1) != 1) return 1;
    pthread_join(t, 0);
    return 0;
}
"#,
        1,
        "fails an assertion",
    );
}

#[test]
fn what_is_received_without_waiting_comes_after_who_sent_it() {
    judged(
        r#"
// main reads the buffer, then asks the server over a socket pair; the server, which got the request, writes the buffer.
static int fds[2];
static int buffer;
static void *server(void *a) {
    (void)a;
    char c[16];
    struct pollfd p[2] = {{fds[1], POLLIN, 0}, {-1, POLLIN, 0}};
    if (poll(p, 2, -1) != 1) return 0;
    if (recv(fds[1], c, sizeof c, MSG_DONTWAIT) <= 0) return 0;
    buffer = 2;
    return 0;
}
int main(void) {
    pthread_t t;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) return 1;
    pthread_create(&t, 0, server, 0);
    if (buffer != 0) return 1;
    if (send(fds[0], "q", 1, 0) != 1) return 1;
    pthread_join(t, 0);
    return 0;
}
"#,
        0,
        "verified",
    );
}

#[test]
fn readv_writes_its_buffers() {
    judged(
        r#"
// main reads what the thread's readv writes into, with nothing in between: a race.
static int fds[2];
static char c;
static void *server(void *a) { (void)a; struct iovec v = {&c, 1}; return readv(fds[0], &v, 1) == 1 ? 0 : a; }
int main(void) {
    pthread_t t;
    if (pipe(fds)) return 1;
    pthread_create(&t, 0, server, 0);
    if (write(fds[1], "q", 1) != 1) return 1;
    int r = c == 'z';
    pthread_join(t, 0);
    return r;
}
"#,
        1,
        "data race",
    );
}

#[test]
fn sending_without_waiting_fails_when_there_is_no_room() {
    judged(
        r#"
// A socket takes only so much; MSG_DONTWAIT says that send fails with EAGAIN then. One thread, no deadlock possible.
int main(void) {
    static char block[65536];
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) return 1;
    for (int i = 0; i < 1000; i++)
        if (send(fds[0], block, sizeof block, MSG_DONTWAIT) < 0) { assert(errno == EAGAIN); return 0; }
    return 1;
}
"#,
        0,
        "verified",
    );
}

/// As `judged`, of C++.
#[track_caller]
fn judged_cxx(text: &str, code: i32, part: &str) {
    let scratch = Scratch::new();
    let source = scratch.write("program.cpp", text);
    let program = scratch.path().join("program");
    build(source.as_ref(), "g++", &["-std=gnu++20"], &program);
    caissa(&["check", &program.display().to_string(), "--faults", "0", "--quiet"]).expect(code, &[part]);
}

#[test]
fn another_kind_of_mutex_may_lie_where_one_was() {
    judged_cxx(
        r#"
#include <mutex>
#include <new>
#include <thread>
alignas(64) char buf[64];
int main(){ { std::mutex *m = new(buf) std::mutex; m->lock(); m->unlock(); m->~mutex(); }
 { std::recursive_mutex *m = new(buf) std::recursive_mutex; m->lock(); m->lock(); m->unlock(); m->unlock(); m->~recursive_mutex(); } return 0; }
"#,
        0,
        "verified",
    );
}

#[test]
fn the_references_of_an_exception_order_its_end() {
    judged_cxx(
        r#"
#include <exception>
#include <thread>
#include <memory>
#include <string>
#include <cassert>
struct E { int v; std::string s; ~E(){ v=0; } };
int main(){ std::exception_ptr p; try { throw E{1,"hello hello hello hello"}; } catch(...) { p=std::current_exception(); }
 std::thread t([p]() mutable { try { std::rethrow_exception(p);} catch(E&e){ assert(e.v==1);} p=nullptr; });
 try { std::rethrow_exception(p);} catch(E&e){ assert(e.v==1);} p=nullptr; t.join(); }
"#,
        0,
        "verified",
    );
}

#[test]
fn a_semaphore_that_was_destroyed_is_not_there_any_more() {
    let program = |late: &str| {
        format!(
            "sem_t s; atomic_int done;
void *work(void *a){{ sem_wait(&s); atomic_store(&done,1); return 0;}}
int main(){{ sem_init(&s,0,1); pthread_t t; pthread_create(&t,0,work,0); {late} pthread_join(t,0);
 sem_init(&s,0,1); sem_wait(&s); sem_destroy(&s); return 0;}}"
        )
    };
    judged(&program("if (atomic_load(&done)) sem_destroy(&s);"), 0, "assuming sequential consistency");
    judged(&program("if (!atomic_load(&done)) sem_destroy(&s);"), 1, "race");
    judged(
        "sem_t s; int main(){ sem_init(&s,0,1); sem_destroy(&s); sem_post(&s); return 0;}",
        1,
        "was destroyed",
    );
}

#[test]
fn the_random_bytes_of_a_process_are_the_same_every_time() {
    judged(
        r#"
#include <sys/auxv.h>
int main(){ unsigned char *r=(void*)getauxval(AT_RANDOM); unsigned n=0; for(int i=0;i<16;i++) n+=r[i];
 pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; for(unsigned i=0;i<n%64;i++){ pthread_mutex_lock(&m); pthread_mutex_unlock(&m);} return 0;}
"#,
        0,
        "verified",
    );
}

#[test]
fn threads_round_as_the_one_that_starts_them_does() {
    judged(
        r#"
#include <xmmintrin.h>
#define ROUNDING _MM_GET_ROUNDING_MODE()
void *work(void *a){ assert(ROUNDING==_MM_ROUND_UP); _MM_SET_ROUNDING_MODE(_MM_ROUND_DOWN); sched_yield(); assert(ROUNDING==_MM_ROUND_DOWN); return 0;}
int main(){ assert(ROUNDING==_MM_ROUND_NEAREST); _MM_SET_ROUNDING_MODE(_MM_ROUND_UP); pthread_t t; pthread_create(&t,0,work,0); sched_yield();
 assert(ROUNDING==_MM_ROUND_UP); pthread_join(t,0); return 0;}
"#,
        0,
        "assuming sequential consistency",
    );
}
