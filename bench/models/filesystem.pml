/* The file system of Flanagan and Godefroid (POPL 2005), as the paper on iterative context bounding uses it: each thread sees
 * to it that its inode has a block. Each `atomic` and each statement outside of one is one step of filesystem.cai: the same control
 * points, the same states. A thread that has ended waits at `end`, since Spin would otherwise count the order of deaths. */
#ifndef THREADS
#define THREADS 4
#endif
#ifndef INODES
#define INODES 2
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
#define I (_pid % INODES)

byte inode[INODES];
bool busy[BLOCKS];
bool locki[INODES];
bool lockb[BLOCKS];

active [THREADS] proctype create()
{
	byte b;
	atomic { !locki[I] -> locki[I] = true };
	if
	:: inode[I] != 0 -> goto done
	:: atomic { inode[I] == 0 -> b = (I * 2) % BLOCKS }
	fi;
	do
	:: atomic { !lockb[b] -> lockb[b] = true };
	   if
	   :: busy[b]
	   :: !busy[b] -> break
	   fi;
	   atomic { lockb[b] = false; b = (b + 1) % BLOCKS }
	od;
	busy[b] = true;
	inode[I] = b + 1;
	atomic { lockb[b] = false; b = 0 };
done:
	locki[I] = false;
end:
	false
}
