/* Peterson's algorithm for N processes (the filter lock), for ever: at each level a process waits for the others one by one.
 * Each `atomic` and each statement outside of one is one step of peterson.cai: the same control points, the same states. */
#ifndef N
#define N 3
#endif
#define FIRST (_pid == 0 -> 1 : 0)
#define NEXT (j + 1 == _pid -> j + 2 : j + 1)
#define PASSED (level[j] < k || last[k] != _pid)

byte level[N];
byte last[N];
byte inside;

active [N] proctype process()
{
	byte k = 1;
	byte j;
enter:
	level[_pid] = k;
	atomic { last[k] = _pid; j = FIRST };
wait:
	if
	:: atomic { NEXT < N && PASSED -> j = NEXT }; goto wait
	:: atomic { NEXT >= N && k < N - 1 && PASSED -> j = 0; k++ }; goto enter
	:: atomic { NEXT >= N && k == N - 1 && PASSED -> j = 0; k = 1 }
	fi;
	atomic { inside++; assert(inside == 1) };
	atomic { inside--; level[_pid] = 0 };
	goto enter
}
