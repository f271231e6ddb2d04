//! How threads and processes end, are cancelled and get signals, and what is done once.

use crate::subtle::{judged, judged_with, passes};

#[test]
fn what_has_to_be_done_at_exit_is_done_however_the_program_ends() {
    judged(
        r#"
int x; void h(void){assert(x==0);} void*t(void*a){x=1;return 0;}
int main(){atexit(h);pthread_t p;pthread_create(&p,0,t,0);pthread_detach(p);pthread_exit(0);}
"#,
        1,
        "x==0",
    );
    judged(
        "void h(void){ assert(0); } int main(){ at_quick_exit(h); quick_exit(0); }",
        1,
        "fails an assertion",
    );
    let fails = "int main(){ errx(3, \"no\"); }";
    judged(fails, 0, "verified");
    judged_with(fails, &["--exit-code"], 1, "exit code 3");
    judged_with("int main(){ quick_exit(4); }", &["--exit-code"], 1, "exit code 4");
}

#[test]
fn a_thread_that_fails_before_its_first_point_fails_again() {
    judged(
        "__thread int n; void*t(void*a){ assert(n++!=0); return 0; } int main(){pthread_t a;pthread_create(&a,0,t,0);pthread_join(a,0); return 0;}",
        1,
        "n++!=0",
    );
}

#[test]
fn who_was_cancelled_does_not_wait() {
    passes(
        r#"
sem_t s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void*t(void*a){pthread_mutex_lock(&m);pthread_mutex_unlock(&m);sem_wait(&s);return 0;}
int main(){ pthread_t h; sem_init(&s,0,0);pthread_create(&h,0,t,0);pthread_cancel(h);pthread_join(h,0); return 0; }
"#,
    );
    for join in ["pthread_join(h2,0)", "pthread_timedjoin_np(h2,0,&(struct timespec){1900000000})"] {
        passes(&format!(
            "sem_t s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_t h1,h2;
void *b(void *a){{ sem_wait(&s); return 0; }}
void *t(void *a){{ pthread_mutex_lock(&m); pthread_mutex_unlock(&m); {join}; return 0; }}
int main(){{ sem_init(&s,0,0); pthread_create(&h2,0,b,0); pthread_create(&h1,0,t,0); pthread_cancel(h1); pthread_join(h1,0); sem_post(&s); pthread_detach(h2); return 0; }}"
        ));
    }
}

#[test]
fn who_is_cancelled_twice_is_cancelled_once() {
    passes(
        r#"
sem_t s, go; int posted; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void clean(void *a){ sem_wait(&s); pthread_mutex_lock(&m); assert(posted); pthread_mutex_unlock(&m); }
void *t(void *a){ pthread_cleanup_push(clean,0); sem_wait(&go); pthread_cleanup_pop(0); return 0; }
int main(){ sem_init(&s,0,0); sem_init(&go,0,0); pthread_t h; pthread_create(&h,0,t,0); pthread_cancel(h); pthread_cancel(h);
 pthread_mutex_lock(&m); posted=1; pthread_mutex_unlock(&m); sem_post(&s); pthread_join(h,0); return 0; }
"#,
    );
}

#[test]
fn cleanups_are_found_through_functions_of_six_arguments() {
    passes(
        r#"
int sv[2], cleaned;
void clean(void*a){ cleaned=1; }
void *t(void *a){ pthread_cleanup_push(clean,0); char c; recvfrom(sv[1],&c,1,0,0,0); pthread_cleanup_pop(0); return 0; }
int main(){ socketpair(AF_UNIX,SOCK_STREAM,0,sv); pthread_t h; pthread_create(&h,0,t,0); pthread_cancel(h); pthread_join(h,0); assert(cleaned); return 0; }
"#,
    );
}

#[test]
fn signals_are_blocked_thread_by_thread() {
    passes(
        r#"
atomic_int ran;
void h(int s){ ran++; }
void *t(void *a){ sigset_t m; sigemptyset(&m); sigaddset(&m,SIGUSR1); pthread_sigmask(SIG_BLOCK,&m,0); return 0; }
int main(){ signal(SIGUSR1,h); pthread_t p; pthread_create(&p,0,t,0); pthread_join(p,0); raise(SIGUSR1); assert(ran==1); return 0; }
"#,
    );
    passes(
        r#"
static atomic_int x; static __thread int ran;
void h(int s){ x++; ran=1; }
void *t(void *a){ raise(SIGUSR1); assert(ran); return 0; }
int main(){ signal(SIGUSR1,h); pthread_t p,q; pthread_create(&p,0,t,0); pthread_create(&q,0,t,0); pthread_join(p,0); pthread_join(q,0); return 0; }
"#,
    );
    passes(
        "int main(){ sigset_t s; sigemptyset(&s); sigaddset(&s,SIGUSR1); sigprocmask(SIG_BLOCK,&s,0); raise(SIGUSR1); return 0; }",
    );
    passes(
        r#"
atomic_int ran; sem_t s, s2; sigset_t m;
void h(int x){ ran=1; }
void *a(void*p){ pthread_sigmask(SIG_BLOCK,&m,0); raise(SIGUSR1); sem_post(&s); sem_wait(&s2); assert(!ran); pthread_sigmask(SIG_UNBLOCK,&m,0); assert(ran); return 0; }
int main(){ sigemptyset(&m); sigaddset(&m,SIGUSR1); sem_init(&s,0,0); sem_init(&s2,0,0); signal(SIGUSR1,h); pthread_t t; pthread_create(&t,0,a,0);
 sem_wait(&s); sem_post(&s2); pthread_join(t,0); return 0; }
"#,
    );
    passes(
        "int main(){ assert(kill(getpid(),0)==0 && kill(getpid(),1000)==-1 && errno==EINVAL); return 0; }",
    );
    judged("int main(){ raise(SIGSYS); return 0; }", 1, "signal 31, which it sends itself");
    judged("int main(){ raise(SIGSEGV); return 0; }", 1, "signal 11, which it sends itself");
    judged("int main(){ prctl(PR_SET_SECCOMP,1); return 0; }", 2, "filters system calls");
}

#[test]
fn threads_that_nobody_knows_of_are_refused() {
    judged(
        "char st[65536]; int ct(void *p){ return 0; } int main(){ clone(ct,st+65000,CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM,0); return 0; }",
        2,
        "by clone, which cannot be controlled",
    );
}

#[test]
fn changing_the_user_is_for_all_threads() {
    let text = "void *b(void *p){ setuid(getuid()); return p; } int main(){ pthread_t t; pthread_create(&t,0,b,0); pthread_join(t,0); return 0; }";
    passes(text);
    judged_with(text, &["--mode", "os"], 0, "verified");
}

#[test]
fn what_is_done_once_is_done_again_where_it_is_made_anew() {
    passes(
        r#"
int n; void init(void){ n++; } pthread_once_t g=PTHREAD_ONCE_INIT;
__attribute__((noinline)) void f(void){ pthread_once_t o=PTHREAD_ONCE_INIT; pthread_once(&o,init); }
int main(){ f(); f(); assert(n==2); pthread_once(&g,init); g=(pthread_once_t)PTHREAD_ONCE_INIT; pthread_once(&g,init); assert(n==4); return 0; }
"#,
    );
}

#[test]
fn a_comparison_that_fails_writes_nothing() {
    let program = |expected: i32| {
        format!(
            "int a=1;
void *t(void *x){{ int e={expected}; __atomic_compare_exchange_n(&a,&e,5,0,__ATOMIC_SEQ_CST,__ATOMIC_SEQ_CST); return 0; }}
int main(){{ pthread_t h; pthread_create(&h,0,t,0); int r=a; pthread_join(h,0); return r==9; }}"
        )
    };
    passes(&program(0));
    judged(&program(1), 1, "race");
}

#[test]
fn a_time_that_is_none_matters_only_to_who_has_to_wait() {
    passes(
        r#"
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; sem_t s; pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER;
int main(){ struct timespec t={0,2000000000}; assert(pthread_mutex_timedlock(&m,&t)==0); sem_init(&s,0,1); assert(sem_timedwait(&s,&t)==0);
 assert(pthread_rwlock_timedwrlock(&l,&t)==0); assert(sem_timedwait(&s,&t)==-1 && errno==EINVAL); return 0; }
"#,
    );
}

#[test]
fn who_waits_at_a_futex_is_woken_by_its_mask() {
    let program = |mask: u32| {
        format!(
            "#include <linux/futex.h>
#include <sys/syscall.h>
atomic_int f;
void*t1(void*x){{while(!f)syscall(SYS_futex,&f,FUTEX_WAIT_BITSET_PRIVATE,0,0,0,4);return 0;}}
int main(){{ pthread_t t; pthread_create(&t,0,t1,0); f=1;syscall(SYS_futex,&f,FUTEX_WAKE_BITSET_PRIVATE,1,0,0,{mask}); pthread_join(t,0); return 0; }}"
        )
    };
    passes(&program(6));
    judged(&program(2), 1, "deadlock");
}

#[test]
fn spin_locks_in_the_wrong_order_are_a_livelock() {
    for take in
        ["while(atomic_exchange(l,1))", "int e=0; while(!atomic_compare_exchange_strong(l,&e,1)) if(e=0,1)"]
    {
        judged(
            &format!(
                "atomic_int p,q; void lock(atomic_int*l){{ {take} sched_yield(); }}
void*t1(void*x){{lock(&p);lock(&q);q=0;p=0;return 0;}} void*t2(void*x){{lock(&q);lock(&p);p=0;q=0;return 0;}}
int main(){{pthread_t a,b;pthread_create(&a,0,t1,0);pthread_create(&b,0,t2,0);pthread_join(a,0);pthread_join(b,0);return 0;}}"
            ),
            1,
            "livelock",
        );
    }
}

#[test]
fn memory_is_freed_also_for_who_is_alone() {
    judged("int main(){ int *volatile p=malloc(4); *p=1; free(p); return *p == 7; }", 1, "was freed");
}

#[test]
fn functions_that_copy_and_fill_are_seen() {
    let racing = |call: &str| {
        format!(
            "char buf[64] = \"a\", other[64]; void*t(void*a){{ {call}; return 0;}}
int main(){{pthread_t h;pthread_create(&h,0,t,0);{call};pthread_join(h,0);return 0;}}"
        )
    };
    let calls = [
        "bzero(buf,64)",
        "bcopy(other,buf,9)",
        "mempcpy(buf,other,9)",
        "stpcpy(buf,\"abc\")",
        "strncat(buf,\"b\",1)",
        "strcat(buf,\"b\")",
        "explicit_bzero(buf,64)",
        "memset(buf,1,24)",
    ];
    for call in calls {
        judged(&racing(call), 1, "race on buf");
    }
    passes(&racing("other[0] == strcmp(buf,\"ab\") + strncmp(buf,\"abc\",3) + bcmp(buf,\"abc\",3)"));
}
