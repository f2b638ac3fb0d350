/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the ledger's BPF half hands to its user half. crates/probe/src/ledger/record.rs
 * declares the same types and a test holds it to the sizes here.
 */
#pragma once

/*
 * What a task does with its time, as far as the kernel can tell for free when the
 * task leaves the CPU. Finer than the public classes: user space maps them, and
 * for kinds below KINDS_STACKED late stacks decide, below KINDS_LATE late objects.
 */
enum ledger_kind {
	/* A stack tells more: all of these are uninterruptible or unknown waits. */
	KIND_READ_IO = 0, /* read call, waiting for I/O */
	KIND_WRITE_IO, /* write call, waiting for I/O */
	KIND_SYNC, /* fsync and the like, and writes to O_SYNC and O_DSYNC files */
	KIND_FAULT_IO, /* page fault in user mode, waiting for I/O */
	KIND_FAULT, /* page fault in user mode, waiting for something else */
	KIND_OTHER_IO, /* any other call, waiting for I/O: open, stat, unlink */
	KIND_READ_BLOCKED, /* read call on a file, uninterruptible */
	KIND_WRITE_BLOCKED, /* write call on a file, uninterruptible */
	KIND_OTHER_BLOCKED, /* any other call, uninterruptible */
	KIND_FILE_SLEEP, /* read or write call on a file, interruptible: FUSE and the like */
	KIND_OTHER_SLEEP, /* any other call, interruptible */
	KIND_MEMSTALL, /* the kernel's own mark of waiting for memory */
	KIND_KTHREAD_IO, /* kernel thread, waiting for I/O */
	KIND_KTHREAD_BLOCKED, /* kernel thread, uninterruptible */
	KINDS_STACKED,
	/* The object tells more. */
	KIND_FUTEX_LOCK = KINDS_STACKED, /* futex value that only a lock has */
	KIND_FUTEX_TWO, /* futex value 2: a lock, or a counter that happens to be 2 */
	KIND_FUTEX_CONDITION, /* the condition of a lock that is handed over; ledger_condition.h */
	KIND_PEER, /* reading from a connected peer after an own request */
	KIND_FILE_LOCK, /* flock, fcntl(F_SETLKW) */
	KIND_ASYNC, /* io_getevents, io_uring_enter with block I/O submitted */
	KINDS_LATE,
	/* Final. */
	KIND_ASYNC_IDLE = KINDS_LATE, /* the same without */
	KIND_FUTEX_PARK, /* any other futex wait */
	KIND_POLL,
	KIND_TIMER,
	KIND_CHILD,
	KIND_ACCEPT,
	KIND_CONNECT,
	KIND_SOCKET_READ,
	KIND_SOCKET_WRITE,
	KIND_PIPE_READ,
	KIND_PIPE_WRITE,
	KIND_DEVICE, /* character devices: terminals */
	KIND_EVENT, /* eventfd, timerfd, signalfd, inotify */
	KIND_IPC, /* System V and POSIX queues and semaphores */
	KIND_SIGNAL,
	KIND_KTHREAD_IDLE,
	KIND_STOPPED,
	KIND_QUEUE, /* runnable, waiting for a CPU */
	KIND_QUEUE_IDLE, /* the same, while a CPU that it may use was idle; counts no waits */
	KIND_THROTTLED, /* runnable, its control group has used up its quota */
	KIND_UNKNOWN, /* time that missed events left unexplained */
	KINDS,
};

enum ledger_object_kind {
	OBJECT_NONE = 0,
	OBJECT_INODE, /* a: inode number, b: device (kernel's encoding) */
	OBJECT_DEVICE, /* b: device */
	OBJECT_FUTEX, /* a: address */
	OBJECT_TCP4, /* a: remote address, ports */
	OBJECT_TCP6, /* a, b: remote address, ports */
	OBJECT_UNIX, /* a: process at the other end */
	OBJECT_WORK, /* from a on: what a thread of the kernel works for, by name; 20 bytes */
};

#define LEDGER_WORK_NAME 20

struct ledger_object {
	__u64 a, b;
	__u16 local_port, remote_port; /* host order; local: 0 when connect() chose it */
	__u8 kind;
	__u8 pad[3];
};

struct ledger_time {
	__u64 ns; /* open wait included */
	__u32 waits; /* ended */
	__u32 kind;
};

/* One task's account, in task storage. Times are CLOCK_MONOTONIC nanoseconds. */
struct ledger_account {
	/*
	 * What every switch and wake-up touches: 56 bytes, because task storage puts a
	 * pointer before them into the same cache line.
	 */
	__u32 seq; /* odd while it changes */
	__u8 on; /* on a CPU since `since`; else off it, in `kind` */
	__u8 kind;
	__u8 dead; /* its last switch was seen and reported */
	__u8 called; /* left the CPU for a reason of its own at least once */
	__u64 since; /* 0: not seen yet */
	__u64 woken; /* last wake-up */
	__u64 exec; /* the scheduler's run time at `since`, to repair missed switches */
	__u64 on_cpu;
	__u16 syscall;
	__u8 asked; /* waits for a socket to come that are for an answer: it woke a reader of one */
	__u8 assumed; /* `kind` rests on the file that is remembered */
	__u8 file_type, file_family; /* the file of the last read or write wait; ledger_file.h */
	__u8 file_uses; /* waits since it was looked at */
	__u8 used; /* entries of `times` */
	__u32 file; /* its number */
	__u32 waker_tid;
	/* What some kinds of waits touch. */
	__u32 waker_tgid;
	__u32 futex_value; /* address and value of the last futex wait */
	__u64 futex;
	__u64 file_to; /* what is behind it: the pipe or the socket */
	__u64 io; /* bytes of block I/O submitted, at the last asynchronous wait */
	__u64 repaired; /* time that was accounted after a missed switch */
	/* The iterator's own: what it has told already. */
	__u64 told_since; /* the period */
	__u64 told_groups; /* the control groups */
	__u8 told; /* whether it was described */
	__u8 told_late; /* the open wait with its stack and object */
	__u8 in_command; /* made by the command under examination, or by what that made */
	/* A kind's place in `times`, from 1; 0: none yet. Few kinds are ever used by one task. */
	__u8 place[KINDS];
	__u8 idle_seen; /* a CPU that the task may use was idle as it began to wait in the run queue */
	__u8 timed; /* bits of ledger_condition.h */
	__u8 pad[2];
	__u64 idle_at; /* for how long any CPU had been idle then; ledger_idle.h */
	__u64 looked; /* when `requests` was found */
	__s32 requests; /* number of the file of its last asynchronous requests; -1: not known */
	__u32 more;
	__u64 handed; /* condition of a lock that the task has handed over since it waited last */
	struct ledger_time times[KINDS];
	__u64 stacked[KINDS_LATE]; /* part of times[].ns that late records carry */
	__u32 stacked_waits[KINDS_LATE];
};

/*
 * What a task has read and written itself, since its birth. Of its process, /proc/PID/io also has
 * what children did that were waited for. All are LEDGER_IO_UNKNOWN where the kernel does not count.
 */
struct ledger_io {
	__u64 read_bytes, write_bytes, cancelled_write_bytes; /* at devices */
	__u64 read_chars, write_chars, read_calls, write_calls; /* by calls */
};

#define LEDGER_IO_UNKNOWN (~0ULL)

/*
 * A task as the iterator reports it begins with its id and one of these bits, which ids
 * (below 2^22) do not have.
 */
#define LEDGER_STILL 0x40000000
#define LEDGER_BRIEF 0x80000000

/* A task that has neither moved nor been woken since it was told. */
struct ledger_still {
	__u32 tid;
	__u32 pad;
	__u64 start_ns, now;
};

/* A task that was described before; then `times` ledger_time. */
struct ledger_brief {
	__u32 tid;
	__u8 on;
	__u8 open_kind;
	__u8 called;
	__u8 times;
	__u64 start_ns, now;
	__u64 on_cpu, repaired, open_ns, utime_ns, stime_ns; /* as below */
	__u64 deeds; /* another number once faults, I/O or the size of its memory have changed */
	struct ledger_io io;
	char comm[16];
};

/* All of it, and the end of a task; then `times` ledger_time. */
struct ledger_record {
	__u32 tid, tgid;
	__u64 start_ns; /* CLOCK_MONOTONIC */
	__u64 start_boot_ns; /* CLOCK_BOOTTIME */
	__u64 process_start_boot_ns; /* of the first thread */
	__u64 now;
	__u64 cgroup;
	__u64 cgroup_memory, cgroup_io, cgroup_pids; /* at the end of a task, where they have trees of their own */
	__u64 utime_ns, stime_ns; /* by ticks */
	__u64 exec_ns, run_delay_ns; /* as the scheduler counts */
	__u64 voluntary, involuntary; /* switches */
	__u64 minor_faults, major_faults;
	struct ledger_io io;
	__u64 on_cpu; /* open period included */
	__u64 repaired;
	__u64 open_ns; /* length of the open wait; 0 on a CPU */
	__u64 open_stack; /* of an open wait of a late kind; 0: none */
	__u64 open_gathered; /* time that this stack stands for */
	struct ledger_object open_object;
	__u32 flags, state;
	__u32 cpu, policy, rt_priority, static_prio, allowed_cpus;
	__u16 open_syscall;
	__u8 open_kind;
	__u8 on;
	__u8 dead;
	__u8 called;
	__u8 torn; /* the account kept changing while it was copied */
	__u8 times;
	__u8 in_command;
	__u8 pad[3];
	__u32 parent; /* process id of the parent */
	__u32 more;
	char comm[16];
	char process[16]; /* comm of the first thread */
};

/* A late record: waits of one task, kind, stack and object that ended. */
struct ledger_late_key {
	__u64 start_ns;
	__u64 stack; /* hash; 0: none taken */
	struct ledger_object object;
	__u32 tid, tgid;
	__u32 waker_tid, waker_tgid;
	__u16 syscall;
	__u8 kind;
	__u8 pad[5];
};

struct ledger_late {
	__u64 ns;
	__u64 waits;
};

#define LEDGER_FRAMES 32

struct ledger_stack {
	__u64 ip[LEDGER_FRAMES]; /* innermost first, 0 after the last */
};

/* One CPU, in a per-CPU array. */
struct ledger_cpu {
	__u32 seq; /* odd while it changes */
	__u8 idle_now;
	__u8 told_idle; /* what ledger_idle.h was told: 0 nothing, 1 that it is busy, 2 idle */
	__u8 pad[2];
	__u64 since; /* 0: has not switched yet */
	__u64 idle_ns, busy_ns;
	__u64 switches;
	__u64 missed_in, missed_out; /* switches that were not seen, and repaired */
	__u64 no_account; /* task storage could not be had */
	__u64 exits_dropped, late_dropped, stacks_dropped;
	__u64 late_recorded; /* counted when the record is in its map */
	__u64 idle_from, idle_until; /* the last idle period that has ended */
};

_Static_assert(sizeof(struct ledger_object) == 24, "record.rs");
_Static_assert(sizeof(struct ledger_record) == 336, "record.rs");
_Static_assert(sizeof(struct ledger_still) == 24, "record.rs");
_Static_assert(sizeof(struct ledger_brief) == 144, "record.rs");
_Static_assert(sizeof(struct ledger_time) == 16, "record.rs");
_Static_assert(sizeof(struct ledger_late_key) == 64, "record.rs");
_Static_assert(sizeof(struct ledger_cpu) == 112, "record.rs");
