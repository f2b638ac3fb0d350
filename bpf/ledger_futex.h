/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Tells waits for locks of programs from other futex waits: by the operation, by the value that
 * is waited on, and by what else the word has held.
 */
#pragma once

#define FUTEX_CMD_MASK 0x7f
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_LOCK_PI2 13
#define FUTEX_CLOCK_REALTIME 256

/* Counts of readers that are believed: a word is a lock's, or it is any number. */
#define RUST_READERS 0x10000
#define RUST_WRITE_LOCKED 0x3fffffff

/*
 * A writer at a Rust rwlock (std/src/sys/sync/rwlock/futex.rs, since 1.62) waits at the
 * count of notifications, which may have any value; right before it lies the lock's word:
 * bit 31 says that writers wait, bit 30 that readers do, the rest is the number of readers
 * or all ones when a writer has it. Rust waits with a bitset, without a time and without
 * the real-time flag, which glibc's condition variables have. All bits set may be a word
 * that is -1: such a wait is believed as the other doubtful ones are.
 */
static __always_inline u8 rwlock_kind(struct pt_regs *regs, u32 op, u32 value)
{
	u32 word = 0;
	if ((op & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET || (op & FUTEX_CLOCK_REALTIME) || regs->r10 ||
	    (value & 0xc0000000))
		return KIND_FUTEX_PARK;
	if (bpf_probe_read_user(&word, sizeof(word), (void *)(regs->di - sizeof(word))) || !(word >> 31))
		return KIND_FUTEX_PARK;
	u32 held = word & RUST_WRITE_LOCKED;
	if (word == ~0u)
		return KIND_FUTEX_TWO;
	return held == RUST_WRITE_LOCKED || (held && held < RUST_READERS) ? KIND_FUTEX_LOCK : KIND_FUTEX_PARK;
}

/*
 * Words that a thread has waited on with 0 or 1 as Rust's condition variables do (with a bitset,
 * without the real-time flag): counters of notifications, which come to 2. Rust's mutexes are
 * waited on with 2 alone. A word that was forgotten is as doubtful as one that was never seen.
 */
struct futex_word {
	u64 address;
	u32 tgid;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct futex_word);
	__type(value, u8);
} counters SEC(".maps");

static __noinline int note_counter(u32 tgid, u64 address)
{
	struct futex_word word = { .address = address, .tgid = tgid };
	u8 seen = 1;
	return bpf_map_update_elem(&counters, &word, &seen, BPF_ANY);
}

static __noinline int is_counter(u32 tgid, u64 address)
{
	struct futex_word word = { .address = address, .tgid = tgid };
	return bpf_map_lookup_elem(&counters, &word) != 0;
}

/* Memory is used again: where a counter was there is a lock. */
static __noinline int forget_counter(u32 tgid, u64 address)
{
	struct futex_word word = { .address = address, .tgid = tgid };
	return bpf_map_delete_elem(&counters, &word);
}

#include "ledger_condition.h"

/*
 * A futex wait is a wait for a lock when the expected value is one that only lock
 * words have. Values seen: glibc and Rust mutexes 2; glibc rwlocks 2 and 3 with the
 * real-time flag; musl, robust and priority-inheriting mutexes have the owner in the
 * low bits and a waiters bit; readers at Rust rwlocks have waiter bits, writers wait at a
 * count beside the lock's word (`rwlock_kind`). Condition variables, parked threads (all
 * ones) and joins have others. Two exceptions: a Rust condition variable counts its
 * notifications, so that 2 may be such a counter (`counters`, `futex_kind_at_end`), and musl's
 * waits for 2 in a word on the waiter's own stack.
 */
static __always_inline u8 futex_kind(struct ledger_account *s, struct task_struct *task, struct pt_regs *regs,
				     u32 op, u32 value)
{
	u64 address = regs->di, before = s->futex, handed = s->handed;
	u32 command = op & FUTEX_CMD_MASK;
	s->handed = 0;
	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return KIND_FUTEX_LOCK;
	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
		return KIND_FUTEX_PARK;
	u8 kind = rwlock_kind(regs, op, value);
	if (kind != KIND_FUTEX_PARK) {
		s->futex = address;
		s->futex_value = 0;
		return kind;
	}
	/* As Rust waits. */
	bool counts = command == FUTEX_WAIT_BITSET && !(op & FUTEX_CLOCK_REALTIME);
	if (value == 2 && address - regs->sp < 4096) {
		/* At its end too it is no lock. */
		s->futex = 0;
		return KIND_FUTEX_PARK;
	}
	if (value == 2)
		kind = KIND_FUTEX_TWO;
	else if (value == 3 && (op & FUTEX_CLOCK_REALTIME))
		kind = KIND_FUTEX_LOCK;
	else if ((value & 0xc0000000) && value != ~0u)
		kind = KIND_FUTEX_LOCK;
	bool again = s->futex == address && s->futex_value == value;
	/* The same word waited on with 0 or 1 before: a counter on its way, no lock. */
	if (kind == KIND_FUTEX_TWO && !counts && s->futex == address && s->futex_value < 2)
		return KIND_FUTEX_PARK;
	s->futex = address;
	s->futex_value = value;
	if (counts && value < 2 && !again)
		note_counter(task->tgid, address);
	/* Rust's condition variables wait with a bitset, glibc's mutexes without. */
	if (kind == KIND_FUTEX_TWO && command == FUTEX_WAIT)
		return KIND_FUTEX_LOCK;
	if (kind == KIND_FUTEX_TWO && counts && is_counter(task->tgid, address))
		return KIND_FUTEX_PARK;
	if (kind != KIND_FUTEX_PARK)
		return kind;
	if (regs->r10)
		return condition_kind(s, task, before);
	return beside_kind(s, task, before, handed);
}

/*
 * What the word of a doubtful futex wait says at its end. A waker that has just changed it
 * from 2 to more than 2 counts with it: the wait was for a condition, no lock. One that has made
 * it 0 or 1 unlocks it, whatever the word was before; what is 2 still says nothing: a time was over, or
 * somebody else has the lock by now. All bits set are a parked Rust thread, whose waker writes 1, or a
 * Rust rwlock with readers and writers waiting, whose waker leaves nothing or waiters.
 */
static __always_inline u8 futex_kind_at_end(struct ledger_account *s, struct task_struct *task,
					    struct task_struct *waker)
{
	u32 word = 0;
	bool park = s->kind == KIND_FUTEX_PARK;
	bool counter = (park || s->kind == KIND_FUTEX_TWO) && s->futex_value == 2;
	bool all_set = park && s->futex_value == ~0u;
	if ((!counter && !all_set) || task->tgid != waker->tgid)
		return s->kind;
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	if (regs->di != s->futex || bpf_probe_read_user(&word, sizeof(word), (void *)regs->di))
		return s->kind;
	if (all_set)
		return !word || ((word & 0xc0000000) && word != ~0u) ? KIND_FUTEX_LOCK : KIND_FUTEX_PARK;
	if (word > 2)
		return word < 0x40000000 ? KIND_FUTEX_PARK : KIND_FUTEX_TWO;
	if (word == 2)
		return s->kind;
	if (park)
		forget_counter(task->tgid, s->futex);
	return KIND_FUTEX_TWO;
}

/* Whether the end of a wait that counts as none for a lock may tell otherwise. */
static __always_inline bool may_be_lock(struct ledger_account *s)
{
	return s->kind == KIND_FUTEX_PARK && (s->futex_value == 2 || s->futex_value == ~0u);
}
