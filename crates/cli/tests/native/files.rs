//! Files that threads wait for, and other processes at their ends.

use crate::subtle::{judged, passes};

#[test]
fn what_is_written_to_a_pipe_may_be_more_than_it_holds() {
    judged(
        r#"
int ends[2]; char big[200000], got[200000];
void *reader(void *a){ size_t n=0; while(n<sizeof got){ ssize_t r=read(ends[0],got+n,50000); assert(r>0); n+=r;} return 0;}
int main(){ pipe(ends); memset(big,7,sizeof big); pthread_t t; pthread_create(&t,0,reader,0);
 assert(write(ends[1],big,sizeof big)==sizeof big); pthread_join(t,0); assert(got[199999]==7); return 0;}
"#,
        0,
        "assuming sequential consistency",
    );
    judged(
        r#"
int ends[2]; char big[1000000], got[1000000];
void *reader(void *a){ size_t n=0; while(n<sizeof got){ ssize_t r=recv(ends[0],got+n,sizeof got-n,0); assert(r>0); n+=r;} return 0;}
int main(){ socketpair(AF_UNIX,SOCK_STREAM,0,ends); memset(big,7,sizeof big); pthread_t t; pthread_create(&t,0,reader,0);
 assert(send(ends[1],big,sizeof big,0)==sizeof big); pthread_join(t,0); assert(got[999999]==7); return 0;}
"#,
        0,
        "assuming sequential consistency",
    );
    judged(
        "int ends[2]; char big[200000]; int main(){ pipe(ends); write(ends[1],big,sizeof big); return 0;}",
        1,
        "deadlock",
    );
}

#[test]
fn waiting_for_files_with_a_mask_of_signals_is_waiting_for_files() {
    judged(
        r#"
int ends[2], poller;
void *writer(void *a){ write(ends[1],"x",1); return 0;}
int main(){ pipe(ends); poller=epoll_create1(0); struct epoll_event e={.events=EPOLLIN}; epoll_ctl(poller,EPOLL_CTL_ADD,ends[0],&e);
 pthread_t t; pthread_create(&t,0,writer,0); fd_set set; FD_ZERO(&set); FD_SET(ends[0],&set);
 assert(pselect(ends[0]+1,&set,0,0,0,0)==1 && FD_ISSET(ends[0],&set)); assert(epoll_pwait(poller,&e,1,-1,0)==1);
 pthread_join(t,0); return 0;}
"#,
        0,
        "assuming sequential consistency",
    );
}

#[test]
fn files_are_ready_however_they_have_become_so() {
    passes(
        r#"
int l;
void *t(void *a){ int c=accept(l,0,0); close(c); return 0; }
int main(){ struct sockaddr_un u={.sun_family=AF_UNIX}; strcpy(u.sun_path+1,"caissa-files"); l=socket(AF_UNIX,SOCK_STREAM,0);
 assert(!bind(l,(void*)&u,sizeof u) && !listen(l,5)); pthread_t h; pthread_create(&h,0,t,0); int s=socket(AF_UNIX,SOCK_STREAM,0);
 assert(!connect(s,(void*)&u,sizeof u)); pthread_join(h,0); return 0; }
"#,
    );
    passes(
        r#"
int ep,p[2];
void *t(void *a){ struct epoll_event e; epoll_wait(ep,&e,1,-1); return 0; }
int main(){ ep=epoll_create1(0); pipe(p); write(p[1],"x",1); pthread_t h; pthread_create(&h,0,t,0); struct epoll_event e={.events=EPOLLIN};
 epoll_ctl(ep,EPOLL_CTL_ADD,p[0],&e); pthread_join(h,0); return 0; }
"#,
    );
    passes(
        r#"
int p[2];
void *t(void *a){ char c; read(p[0],&c,1); return 0; }
int main(){ pipe(p); FILE*f=fdopen(p[1],"w"); pthread_t h; pthread_create(&h,0,t,0); fprintf(f,"x"); fflush(f); pthread_join(h,0); return 0; }
"#,
    );
}

#[test]
fn what_goes_through_a_file_is_ordered_whatever_its_descriptor_is() {
    passes(
        r#"
int sv[2], data;
void *t(void *a){ data=42; write(sv[0],"x",1); close(sv[0]); return 0; }
int main(){ socketpair(AF_UNIX,SOCK_STREAM,0,sv); pthread_t h; pthread_create(&h,0,t,0); char c; read(sv[1],&c,1); assert(data==42); pthread_join(h,0); return 0; }
"#,
    );
    let duplicate = |end: &str| {
        format!(
            "int p[2], q[2], w, data;
void *t(void *a){{ data=42; write(w,\"x\",1); return 0; }}
int main(){{ pipe(p); pipe(q); write(q[1],\"y\",1); w=dup(p[1]); pthread_t h; pthread_create(&h,0,t,0); char c; read({end},&c,1);
 assert(data==42); pthread_join(h,0); return 0; }}"
        )
    };
    passes(&duplicate("p[0]"));
    judged(&duplicate("q[0]"), 1, "data");
}

#[test]
fn what_other_processes_send_is_waited_for() {
    passes(
        r#"
int p[2];
void *t(void *a){ char c; read(p[0],&c,1); return 0; }
int main(){ pipe(p); pid_t c=fork(); if(c==0){ usleep(500000); write(p[1],"x",1); _exit(0);}
 pthread_t h; pthread_create(&h,0,t,0); pthread_join(h,0); waitpid(c,0,0); return 0; }
"#,
    );
    passes(
        r#"
int main(){ int p[2]; char c=0; pipe(p); pid_t q=fork(); if(!q){ for(volatile int i=0;i<3000000;i++); write(p[1],"x",1); _exit(0);}
 assert(read(p[0],&c,1)==1 && c=='x'); waitpid(q,0,0); return 0; }
"#,
    );
    passes(
        r#"
extern char **environ;
int main(){ int p[2]; pipe(p); posix_spawn_file_actions_t fa; posix_spawn_file_actions_init(&fa); posix_spawn_file_actions_adddup2(&fa,p[1],1);
 char*av[]={"sh","-c","sleep 0.1; echo x",0}; pid_t c; posix_spawn(&c,"/bin/sh",&fa,0,av,environ); char ch; assert(read(p[0],&ch,1)==1); waitpid(c,0,0); return 0; }
"#,
    );
}

#[test]
fn a_process_that_was_forked_has_its_own_heap_and_its_own_semaphores() {
    passes(
        r#"
char*p; sem_t s;
int main(){ p=malloc(10); p[0]=1; sem_init(&s,0,0); sem_post(&s); pid_t c=fork();
 if(!c){ sem_wait(&s); for(int i=0;i<1000;i++){ char*q=malloc(i+1); q=realloc(q,2*i+2); free(q);} p=realloc(p,20); if(p[0]!=1) _exit(1); free(p); _exit(0);}
 int st; waitpid(c,&st,0); assert(st==0); for(int i=0;i<1000;i++) free(malloc(i)); free(p); return 0; }
"#,
    );
    passes(
        r#"
pid_t c; _Atomic int x;
void h(int s){ c=fork(); }
void *t(void*a){ x++; return 0; }
int main(){ signal(SIGUSR1,h); pthread_t p; pthread_create(&p,0,t,0); raise(SIGUSR1); if(c==0){ x++; x++; _exit(3);}
 int st; waitpid(c,&st,0); assert(WEXITSTATUS(st)==3); pthread_join(p,0); return 0; }
"#,
    );
}

#[test]
fn who_waits_outside_is_named() {
    judged(
        r#"
void *t(void *a){ char c;
 int s=socket(AF_UNIX,SOCK_DGRAM,0); recv(s,&c,1,0); return 0; }
int main(){ pthread_t h; pthread_create(&h,0,t,0); pthread_join(h,0); return 0; }
"#,
        2,
        "thread T1 waits for something outside our control",
    );
}

#[test]
fn events_that_are_polled_for_order_accesses() {
    passes(
        r#"
#include <sys/eventfd.h>
int e, d, reason;
void *t(void *a){ struct pollfd p={e,POLLIN}; assert(poll(&p,1,-1)==1); assert(reason==7); return 0; }
int main(){ e=eventfd(0,0); d=dup(e); pthread_t h; pthread_create(&h,0,t,0); reason=7; long one=1; write(d,&one,8); pthread_join(h,0); return 0; }
"#,
    );
}

#[test]
fn waiting_for_all_waits_for_no_more_than_one_message() {
    passes(
        r#"
int main(){ int s[2]; char b[16]; socketpair(AF_UNIX,SOCK_DGRAM,0,s); send(s[0],"abc",3,0); assert(recv(s[1],b,16,MSG_WAITALL)==3); return 0; }
"#,
    );
    passes(
        r#"
int s[2];
void *t(void *a){ write(s[0],"ab",2); write(s[0],"cd",2); return 0; }
int main(){ char b[4]; socketpair(AF_UNIX,SOCK_STREAM,0,s); pthread_t h; pthread_create(&h,0,t,0); assert(recvfrom(s[1],b,4,MSG_WAITALL,0,0)==4 && !memcmp(b,"abcd",4));
 pthread_join(h,0); return 0; }
"#,
    );
}

#[test]
fn polling_no_files_is_sleeping() {
    passes(
        r#"
void *t(void *a){ poll(0,0,10); return 0; }
int main(){ struct timespec b,e; clock_gettime(CLOCK_MONOTONIC,&b); pthread_t h; pthread_create(&h,0,t,0); poll(0,0,5000); clock_gettime(CLOCK_MONOTONIC,&e);
 assert(e.tv_sec-b.tv_sec>=5); pthread_join(h,0); return 0; }
"#,
    );
}

#[test]
fn timers_that_are_files_go_off_in_virtual_time() {
    passes(
        r#"
#include <sys/timerfd.h>
long now(){ struct timespec t; clock_gettime(CLOCK_MONOTONIC,&t); return t.tv_sec*1000+t.tv_nsec/1000000; }
int main(){ int t=timerfd_create(CLOCK_MONOTONIC,TFD_CLOEXEC); uint64_t n; long b=now();
 struct itimerspec s={{0,0},{3600,0}}, g; assert(timerfd_settime(t,0,&s,0)==0); assert(timerfd_gettime(t,&g)==0 && g.it_value.tv_sec==3600 && !g.it_interval.tv_sec);
 assert(read(t,&n,8)==8 && n==1); assert(now()-b>=3600000);
 s=(struct itimerspec){{10,0},{10,0}}; timerfd_settime(t,0,&s,0); sleep(35); assert(read(t,&n,8)==8 && n==3); b=now(); assert(read(t,&n,8)==8 && n==1 && now()-b==5000);
 struct timespec w; clock_gettime(CLOCK_MONOTONIC,&w); w.tv_sec+=7; s=(struct itimerspec){{0,0},w}; assert(timerfd_settime(t,TFD_TIMER_ABSTIME,&s,&g)==0 && g.it_interval.tv_sec==10);
 struct pollfd p={t,POLLIN}; assert(poll(&p,1,6000)==0); assert(poll(&p,1,6000)==1); assert(read(t,&n,8)==8 && n==1); assert(poll(&p,1,0)==0);
 s=(struct itimerspec){{0,0},{1,0}}; timerfd_settime(t,0,&s,0); sleep(2); s.it_value.tv_sec=0; timerfd_settime(t,0,&s,0); assert(poll(&p,1,0)==0);
 s.it_value.tv_nsec=-1; assert(timerfd_settime(t,0,&s,0)==-1 && errno==EINVAL); assert(timerfd_settime(99,0,&s,0)==-1 && errno==EBADF); assert(timerfd_create(99,0)==-1 && errno==EINVAL);
 int u=timerfd_create(CLOCK_REALTIME,TFD_NONBLOCK); assert(read(u,&n,8)==-1 && errno==EAGAIN); close(u); return 0; }
"#,
    );
}

/// Whoever waits before the timer is set, or before the poller knows of it, waits for it all the same; what was done before it was set is ordered.
#[test]
fn timers_wake_who_waits_for_them() {
    let poller = |end: &str| {
        r#"
#include <sys/timerfd.h>
int e, f, t, reason;
void *w(void *a){ struct epoll_event v; assert(epoll_wait(f,&v,1,-1)==1); assert(reason==7); return 0; }
int main(){ t=timerfd_create(CLOCK_MONOTONIC,TFD_NONBLOCK); e=epoll_create1(0); f=epoll_create1(0); struct epoll_event v={.events=EPOLLIN}; epoll_ctl(f,EPOLL_CTL_ADD,e,&v);
 pthread_t h; pthread_create(&h,0,w,0); reason=7;
 struct itimerspec s={{0,0},{0,1000}}; timerfd_settime(t,0,&s,0); END epoll_ctl(e,EPOLL_CTL_ADD,t,&v); pthread_join(h,0); return 0; }
"#
        .replace("END", end)
    };
    passes(&poller(""));
    judged(&poller("s.it_value.tv_nsec=0; timerfd_settime(t,0,&s,0);"), 1, "deadlock");
    judged(&poller("v.events=0;"), 1, "deadlock");
    passes(&poller("int d=dup(t); close(t); t=d; s.it_value.tv_sec=3600; timerfd_settime(d,0,&s,0);"));
    judged(&poller("close(t);"), 1, "deadlock");
}

/// A timer is known by whatever descriptor it has, never has room for anything, and goes off also if somebody asks again and again, or if others who could do something are there.
#[test]
fn timers_are_files_like_others() {
    let program = |body: &str| {
        r#"
#include <sys/timerfd.h>
#include <sys/wait.h>
uint64_t n; struct itimerspec s={{0,0},{1,0}}, again={{0,1000000},{0,1000000}};
int main(){ int t=timerfd_create(CLOCK_MONOTONIC,0), r=timerfd_create(CLOCK_REALTIME_ALARM,TFD_NONBLOCK); BODY return 0; }
"#
        .replace("BODY", body)
    };
    for body in [
        "struct pollfd p={t,POLLIN|POLLOUT}; assert(poll(&p,1,10)==0);",
        "timerfd_settime(t,0,&s,0); int d=dup(t); close(t); assert(read(d,&n,8)==8 && n==1);",
        "timerfd_settime(t,0,&s,0); int p[2]; assert(pipe(p)==0 && dup2(p[1],t)==t); sleep(5); struct pollfd l={p[0],POLLIN}; assert(poll(&l,1,0)==0);",
        "timerfd_settime(t,0,&again,0); sleep(3600); assert(read(t,&n,8)==8 && n==3600000);",
        "timerfd_settime(r,0,&s,0); while(read(r,&n,8)<0) sched_yield(); assert(n==1);",
        "timerfd_settime(r,0,&s,0); struct pollfd p={r,POLLIN}; while(poll(&p,1,0)==0) ; assert(read(r,&n,8)==8);",
        "pid_t c=fork(); if(!c) _exit(0); waitpid(c,0,0); timerfd_settime(t,0,&s,0); assert(read(t,&n,8)==8 && n==1);",
        "struct timespec w; clock_gettime(CLOCK_REALTIME,&w); long b=w.tv_sec; w.tv_sec+=7; s=(struct itimerspec){{0,0},w}; timerfd_settime(r,TFD_TIMER_ABSTIME,&s,0); struct pollfd p={r,POLLIN}; assert(poll(&p,1,-1)==1); clock_gettime(CLOCK_REALTIME,&w); assert(w.tv_sec-b==7);",
        "s.it_value.tv_sec=-1; assert(timerfd_settime(t,0,&s,0)==-1 && errno==EINVAL);",
    ] {
        passes(&program(body));
    }
}
