/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Tells what a task that leaves the CPU waits for, from data that costs a few loads:
 * its state, two bits that the kernel keeps for its own accounting, the system call
 * with its first arguments, and the type of the file that the call is about.
 */
#pragma once

#include "call_family_x86_64.h"
#include "ledger_file.h"
#include "ledger_futex.h"

/* include/linux/sched.h; INTERRUPTIBLE … PARKED have not moved since 4.14 */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED_OR_TRACED 0xc
#define TASK_DEAD 0x80
#define TASK_WAKING 0x200
#define TASK_NEW 0x800
#define TASK_NOLOAD 0x400
#define TASK_RTLOCK_WAIT 0x1000
#define TASK_FROZEN 0x8000
#define PF_IO_WORKER 0x10
#define PF_WQ_WORKER 0x20
#define PF_KTHREAD 0x200000
#define TS_COMPAT 0x2

#define CLONE_VFORK 0x4000
#define F_SETLKW 7
#define F_OFD_SETLKW 38

static __always_inline u32 raw_state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	struct task_struct___before_5_14 *old = (void *)task;
	return BPF_CORE_READ(old, state);
}

/* Whether the task has submitted block I/O since its last wait for a ring. */
static __always_inline bool submitted(struct ledger_account *s, struct task_struct *task)
{
	u64 io = task->ioac.read_bytes + task->ioac.write_bytes;
	bool grown = io != s->io;
	s->io = io;
	return grown;
}

/* An interruptible wait in a call that says by itself what it waits for; else KINDS. */
static __always_inline u8 sleep_kind(struct ledger_account *s, struct task_struct *task, struct pt_regs *regs,
				     u8 family, bool io)
{
	switch (family) {
	case CALL_FUTEX:
		return futex_kind(s, task, regs, regs->si, regs->dx);
	case CALL_FUTEX_WAIT:
		return futex_kind(s, task, regs, FUTEX_WAIT, regs->si);
	case CALL_FUTEX_WAITV:
		return KIND_FUTEX_PARK;
	case CALL_POLL:
		return KIND_POLL;
	case CALL_TIMER:
		return KIND_TIMER;
	case CALL_CHILD:
		return KIND_CHILD;
	case CALL_ACCEPT:
		return KIND_ACCEPT;
	case CALL_CONNECT:
		return KIND_CONNECT;
	case CALL_SEND:
		return KIND_SOCKET_WRITE;
	case CALL_ASYNC:
		return submitted(s, task) || io ? KIND_ASYNC : KIND_ASYNC_IDLE;
	case CALL_SIGNAL:
		return KIND_SIGNAL;
	case CALL_FLOCK:
		return KIND_FILE_LOCK;
	case CALL_FCNTL:
		return regs->si == F_SETLKW || regs->si == F_OFD_SETLKW ? KIND_FILE_LOCK : KINDS;
	case CALL_IPC:
		return KIND_IPC;
	}
	return KINDS;
}

static __always_inline u8 kernel_thread_kind(u32 state, bool io)
{
	if (io)
		return KIND_KTHREAD_IO;
	if ((state & TASK_UNINTERRUPTIBLE) && !(state & TASK_NOLOAD))
		return KIND_KTHREAD_BLOCKED;
	return KIND_KTHREAD_IDLE;
}

static __always_inline bool throttled(struct task_struct *task)
{
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (bpf_core_field_exists(task->se.cfs_rq->throttle_count))
		return BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0;
	return false;
}

/* What a task in `state` waits for; leaves the number of its system call in `s`. */
static __always_inline u8 wait_kind(struct ledger_account *s, struct task_struct *task, u32 state)
{
	s->syscall = 0xffff;
	s->assumed = 0;
	if (!(state & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE | TASK_RTLOCK_WAIT))) {
		if (!(state & ~(TASK_WAKING | TASK_NEW)))
			return throttled(task) ? KIND_THROTTLED : KIND_QUEUE;
		return state & (TASK_STOPPED_OR_TRACED | TASK_FROZEN) ? KIND_STOPPED : KIND_KTHREAD_IDLE;
	}
	s->timed = of_last_wait(s->timed);
	bool stalled = BPF_CORE_READ_BITFIELD(task, in_memstall);
	bool io = BPF_CORE_READ_BITFIELD(task, in_iowait);
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return stalled ? KIND_MEMSTALL : kernel_thread_kind(state, io);
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	bool blocked = state & (TASK_UNINTERRUPTIBLE | TASK_RTLOCK_WAIT);
	s64 call = regs->orig_ax;
	if (call >= 0)
		s->syscall = call;
	if (stalled)
		return KIND_MEMSTALL;
	if (call < 0)
		return io ? KIND_FAULT_IO : KIND_FAULT;
	/* 32-bit programs on a 64-bit kernel number their calls differently. */
	u8 family = task->thread_info.status & TS_COMPAT ? CALL_OTHER : call_family[call & (CALLS - 1)];
	if (family != CALL_OTHER && family <= CALL_WITH_FILE)
		return file_kind(s, task, regs, family, io, blocked);
	switch (family) {
	case CALL_SYNC:
		return KIND_SYNC;
	case CALL_VFORK:
		return KIND_CHILD;
	case CALL_CLONE:
		if (regs->di & CLONE_VFORK)
			return KIND_CHILD;
		break;
	}
	if (!blocked) {
		u8 kind = sleep_kind(s, task, regs, family, io);
		if (kind < KINDS)
			return kind;
	}
	if (io)
		return KIND_OTHER_IO;
	return blocked ? KIND_OTHER_BLOCKED : KIND_OTHER_SLEEP;
}
