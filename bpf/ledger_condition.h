/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Locks that are a flag with a condition, whose waiters wait for a few milliseconds at a time and then
 * ask for the lock again: the lock of the CPython interpreter is one (Python/ceval_gil.c, 5 ms). Each
 * of their waits looks like that of an idle worker who looks for work now and then.
 *
 * What tells them apart is who ends the waits. A lock is handed over: whoever was woken last has
 * it, and the next is woken by that thread and by no other, while who had it before waits for it again.
 * Work is handed out by who has it, to one after the other, and where workers wake each other they
 * go on working. So each condition has a count: one more for each wake-up by the thread that was woken
 * last, once the one that woke it waits again, of a thread whose time had run out before
 * and that had waited again at once; two less for each by another thread. A thread whose time ran out
 * may find the lock free and has it too: one more where it wakes who had the lock before, or
 * where that one waits beside the lock until somebody has taken it. From LOCK_HANDOVERS on the
 * condition is a lock's, until the count is 0. Where the thread that has it waits again and has woken nobody, somebody has
 * taken the lock without a wait, or there is none: one less for each such wait from the third on,
 * so that where all wait, as idle workers do, the condition is soon none of a lock.
 */
#pragma once

#define FUTEX_WAKE 1
#define FUTEX_WAKE_OP 5
#define FUTEX_WAKE_BITSET 10

#define LOCK_HANDOVERS 3
#define MOST_HANDOVERS 16 /* so that a condition that is used otherwise from now on is told soon */
#define AT_ONCE_NS 200000
#define POLLED_NS 1000000
/* Two words of one condition are waited on in turn (glibc: its two groups). */
#define CONDITION_OF(address) ((address) & ~7ull)
/* A lock's words lie together: the condition, its mutex, and what else belongs to it. */
#define LOCK_BYTES 256

/* Bits of `timed` in an account. */
#define WAITED_AGAIN 1 /* this wait: on the same condition, at once after a time that had run out */
#define WAITS_TIMED 2 /* this wait: for a condition, with a time, and not woken yet */
#define WAITS_BESIDE 4 /* this wait: beside the condition that `futex` is */
#define WAS_WOKEN 8 /* this wait was one with a time, and is over */
#define WAITED_TIMED 16 /* the last wait was one with a time */
#define HAS_WAITED_AGAIN 32 /* some wait was WAITED_AGAIN: without, it is not asked whose the condition is */

struct handovers {
	u32 holder; /* the thread that was given the lock last */
	u32 giver; /* who gave it; 0 once that thread waits again */
	u32 count;
	u32 lost; /* so often the holder has waited since, at once after its time had run out */
	u32 is_lock; /* until the count is 0 */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct futex_word);
	__type(value, struct handovers);
} conditions SEC(".maps");

/* What was so of this wait is now so of the last. */
static __always_inline u8 of_last_wait(u8 timed)
{
	u8 of_last = timed & WAITS_TIMED ? WAITED_AGAIN : 0;
	of_last |= timed & HAS_WAITED_AGAIN;
	return timed & (WAITS_TIMED | WAS_WOKEN) ? of_last | WAITED_TIMED : of_last;
}

/* Whether the thread's time ran out when it waited for the condition last. */
static __always_inline bool found_free(struct ledger_account *s, u64 condition)
{
	return s->timed & (WAITS_TIMED | WAITED_AGAIN) && CONDITION_OF(s->futex) == condition;
}

/* Whether the condition is a lock's, once its count has changed. */
static __always_inline bool is_lock(struct handovers *known)
{
	if (known->count >= LOCK_HANDOVERS)
		known->is_lock = 1;
	else if (!known->count)
		known->is_lock = 0;
	return known->is_lock;
}

/* A futex wait with a time begins that has no value of a lock; `before` is the futex of the last one. */
static __noinline u8 condition_kind(struct ledger_account *s, struct task_struct *task, u64 before)
{
	struct futex_word word = { .address = CONDITION_OF(s->futex), .tgid = task->tgid };
	bool again = (s->timed & WAITED_AGAIN) && CONDITION_OF(before) == word.address &&
		     task->se.sum_exec_runtime - s->exec < AT_ONCE_NS;
	s->timed = WAITS_TIMED | (s->timed & HAS_WAITED_AGAIN) | (again ? WAITED_AGAIN | HAS_WAITED_AGAIN : 0);
	if (!(s->timed & HAS_WAITED_AGAIN))
		return KIND_FUTEX_PARK;
	struct handovers *known = bpf_map_lookup_elem(&conditions, &word);
	if (!known)
		return KIND_FUTEX_PARK;
	if (known->holder == task->pid) {
		/* Who has run in between had found it free. */
		known->lost = again ? known->lost + 1 : 1;
		known->count -= known->lost > 2 && known->count > 0;
	}
	if (known->giver == task->pid)
		known->giver = 0;
	return is_lock(known) ? KIND_FUTEX_CONDITION : KIND_FUTEX_PARK;
}

/*
 * A futex wait without a time begins that has no value of a lock. Who has handed a lock over, or has had one
 * that it had waited for until a time ran out, may wait beside it until another has taken it.
 */
static __noinline u8 beside_kind(struct ledger_account *s, struct task_struct *task, u64 before, u64 handed)
{
	u64 lock = handed ? handed : s->timed & WAITED_TIMED ? CONDITION_OF(before) : 0;
	if (!lock || CONDITION_OF(s->futex) == lock || s->futex - lock + LOCK_BYTES >= 2 * LOCK_BYTES)
		return KIND_FUTEX_PARK;
	struct futex_word word = { .address = lock, .tgid = task->tgid };
	struct handovers *known = bpf_map_lookup_elem(&conditions, &word);
	s->timed = WAITS_BESIDE | (s->timed & HAS_WAITED_AGAIN);
	s->futex = lock;
	s->futex_value = 0;
	return known && known->is_lock ? KIND_FUTEX_CONDITION : KIND_FUTEX_PARK;
}

/* Whether the waker is at waking waiters for what the task waits for; a time that is over meets any thread. */
static __always_inline bool wakes_condition(struct task_struct *task, struct task_struct *waker)
{
	if (task->tgid != waker->tgid)
		return false;
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(waker);
	struct pt_regs *own = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 command = regs->si & FUTEX_CMD_MASK;
	return call_family[regs->orig_ax & (CALLS - 1)] == CALL_FUTEX && (s64)regs->orig_ax >= 0 &&
	       CONDITION_OF(regs->di) == CONDITION_OF(own->di) &&
	       (command == FUTEX_WAKE || command == FUTEX_WAKE_OP || command == FUTEX_WAKE_BITSET);
}

/* What is known of a condition that the task has waited for; `anew`: that is nothing yet, where it was none. */
static __always_inline struct handovers *known_of(struct ledger_account *s, struct task_struct *task, bool anew)
{
	struct futex_word word = { .address = CONDITION_OF(s->futex), .tgid = task->tgid };
	struct handovers *known = bpf_map_lookup_elem(&conditions, &word);
	if (known || !anew)
		return known;
	struct handovers none = { .lost = 1 };
	bpf_map_update_elem(&conditions, &word, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&conditions, &word);
}

/* A wait beside a lock ends: who wakes may have found the lock free when its time had run out. */
static __always_inline void end_beside(struct ledger_account *s, struct task_struct *task, struct task_struct *waker,
				       struct ledger_account *own)
{
	struct handovers *known = found_free(own, s->futex) ? known_of(s, task, true) : 0;
	if (!known)
		return;
	known->count += known->count < MOST_HANDOVERS;
	known->holder = waker->pid;
	known->giver = task->pid;
	known->lost = 0;
	if (is_lock(known))
		s->kind = KIND_FUTEX_CONDITION;
}

/*
 * Too short for a time that has run out, of a thread that has not let one run out and waited again: who
 * woke it is not asked, which takes 150 ns.
 */
static __always_inline bool is_no_poll(struct ledger_account *s, u64 now)
{
	return !(s->timed & (HAS_WAITED_AGAIN | WAITS_BESIDE)) && now - s->since < POLLED_NS;
}

/* A wait for a condition, or beside one, ends. */
static __noinline int end_condition(struct ledger_account *s, struct task_struct *task)
{
	struct task_struct *waker = (struct task_struct *)bpf_get_current_task_btf();
	if (!wakes_condition(task, waker))
		return 0;
	s->waker_tid = waker->pid;
	s->waker_tgid = waker->tgid;
	bool again = s->timed & WAITED_AGAIN, beside = s->timed & WAITS_BESIDE;
	struct handovers *known = beside ? 0 : known_of(s, task, again);
	if (!beside)
		s->timed = WAS_WOKEN | (s->timed & HAS_WAITED_AGAIN);
	if (!beside && !known)
		return 0;
	struct ledger_account *own = bpf_task_storage_get(&accounts, waker, 0, 0);
	if (!own)
		return 0;
	if (!known) {
		end_beside(s, task, waker, own);
		return 0;
	}
	if (known->holder == waker->pid || (known->lost && found_free(own, CONDITION_OF(s->futex))))
		known->count += again && !known->giver && known->count < MOST_HANDOVERS;
	else if (!known->lost)
		known->count = known->count > 2 ? known->count - 2 : 0;
	known->holder = task->pid;
	known->giver = waker->pid;
	known->lost = 0;
	bool handed = is_lock(known);
	s->kind = handed ? KIND_FUTEX_CONDITION : KIND_FUTEX_PARK;
	own->handed = handed ? CONDITION_OF(s->futex) : 0;
	return 0;
}
