/* Philosophers who wait for their forks, for ever; the last one takes the forks in the other order, so there is no deadlock.
 * Each `atomic` and each statement outside of one is one step of philosophers.cai: the same control points, the same states. */
#ifndef N
#define N 3
#endif

bool fork[N];

active [N - 1] proctype philosopher()
{
	do
	:: atomic { !fork[_pid] -> fork[_pid] = true };
	   atomic { !fork[_pid + 1] -> fork[_pid + 1] = true };
	   fork[_pid] = false;
	   fork[_pid + 1] = false
	od
}

active proctype the_last()
{
	do
	:: atomic { !fork[0] -> fork[0] = true };
	   atomic { !fork[_pid] -> fork[_pid] = true };
	   fork[0] = false;
	   fork[_pid] = false
	od
}
