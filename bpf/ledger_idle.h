/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How much of a wait in the run queue passed while a CPU that the task may use was idle, its own
 * on the way out of idleness included: that part is the time of a wake-up or a matter of
 * placement, the rest is too few CPUs.
 *
 * Kept is for how long any CPU at all was idle, changed by who becomes idle or ceases to be; two
 * readings of that tell it of a wait. Each CPU has a bit in a word of 64, and only a word that
 * ceases to be zero or becomes zero touches the line that all CPUs share: on a large machine a
 * count of idle CPUs would be written by all of them all the time.
 *
 * A task that is bound to one CPU is told by that CPU's last idle period: while such a task is in
 * its queue, a CPU has no other. One that may use some of the CPUs is told by whether one of these
 * was idle when the wait began and when it ended: of the time in which any CPU was idle it
 * has all, half, or nothing.
 *
 * Included by ledger.bpf.c alone, whose accounts it reads.
 */
#pragma once

#define IDLE_WORDS 16 /* CPUs from 1,024 on count as busy */
#define OWN_LINE __attribute__((aligned(64)))

struct idle_word {
	u64 cpus;
} OWN_LINE;

struct idle_cpus {
	struct {
		u64 words; /* that are not zero */
		u64 sum; /* ends of times in which there were such words, less their beginnings */
	} OWN_LINE any;
	struct {
		u64 cpus; /* that have switched */
	} OWN_LINE seen;
	struct idle_word of[IDLE_WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct idle_cpus);
} idle_cpus SEC(".maps");

/* CPUs that user space has found offline: each was idle last, and counts no more. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, IDLE_WORDS);
	__type(key, u32);
	__type(value, u64);
} offline SEC(".maps");

static __always_inline struct idle_cpus *all_idle(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&idle_cpus, &zero);
}

/* How long any CPU was idle until `now`, from a beginning that means nothing. */
static __always_inline u64 idle_until(struct idle_cpus *idle, u64 now)
{
	u64 words = *(volatile u64 *)&idle->any.words;
	/* Without a branch, each way of which the verifier would walk on: all bits, or none. */
	u64 some = (s64)-words >> 63;
	return *(volatile u64 *)&idle->any.sum + (now & some);
}

static __always_inline void become_idle(struct idle_cpus *idle, u64 at, u64 cpu, u64 now)
{
	if (__sync_fetch_and_or(&idle->of[at].cpus, cpu))
		return;
	if (!__sync_fetch_and_add(&idle->any.words, 1))
		__sync_fetch_and_add(&idle->any.sum, -now);
}

/* Takes CPUs out of a word. */
static __always_inline void cease_idle(struct idle_cpus *idle, u64 at, u64 cpus, u64 now)
{
	u64 before = __sync_fetch_and_and(&idle->of[at].cpus, ~cpus);
	if (!(before & cpus) || (before & ~cpus))
		return;
	if (__sync_fetch_and_add(&idle->any.words, -1ull) == 1)
		__sync_fetch_and_add(&idle->any.sum, now);
}

/*
 * The two functions below that are not static are verified by themselves, once, instead of once
 * for each way that leads to them. They take numbers, because before 6.8 a pointer that is handed over
 * is trusted no more.
 */

/* This CPU switches to its idle task or away from it, or is seen for the first time. */
__noinline int turn_idle(u64 now)
{
	struct idle_cpus *idle = all_idle();
	struct ledger_cpu *own = this_cpu();
	if (!idle || !own)
		return 0;
	if (!own->told_idle)
		__sync_fetch_and_add(&idle->seen.cpus, 1);
	own->told_idle = 1 + own->idle_now;
	u32 cpu = bpf_get_smp_processor_id();
	u64 at = cpu / 64, bit = 1ull << (cpu % 64);
	if (at >= IDLE_WORDS)
		return 0;
	if (own->idle_now)
		become_idle(idle, at, bit, now);
	else
		cease_idle(idle, at, bit, now);
	return 0;
}

__noinline int drop_offline(u64 now)
{
	struct idle_cpus *idle = all_idle();
	if (!idle)
		return 0;
	for (u32 at = 0; at < IDLE_WORDS; at++) {
		u32 key = at;
		u64 *cpus = bpf_map_lookup_elem(&offline, &key);
		if (cpus && *cpus)
			cease_idle(idle, at, *cpus, now);
	}
	return 0;
}

/* Whether a CPU that the task may use is idle. All words in one go: the verifier walks each branch by itself. */
static __noinline int sees_idle(struct idle_cpus *idle, struct task_struct *task)
{
	u64 allowed[IDLE_WORDS] = {}, both = 0;
	u32 length = cpu_words * sizeof(*allowed);
	if (length > sizeof(allowed))
		length = sizeof(allowed);
	bpf_probe_read_kernel(allowed, length, &task->cpus_mask);
#pragma unroll
	for (u32 at = 0; at < IDLE_WORDS; at++)
		both |= idle->of[at].cpus & allowed[at];
	return both != 0;
}

/* Bound to some of the CPUs, and to more than one. */
static __always_inline bool is_restricted(struct idle_cpus *idle, struct task_struct *task)
{
	u64 allowed = (u32)task->nr_cpus_allowed;
	return allowed > 1 && allowed < idle->seen.cpus;
}

/* A wait in the run queue begins. */
static __always_inline void note_idle(struct ledger_account *s, struct task_struct *task, u64 now)
{
	struct idle_cpus *idle = all_idle();
	if (!idle)
		return;
	s->idle_at = idle_until(idle, now);
	if (is_restricted(idle, task))
		s->idle_seen = sees_idle(idle, task);
}

/* The part of a time that its last idle period takes of the CPU on which the task comes. */
static __always_inline u64 own_idle(struct ledger_cpu *cpu, u64 from, u64 now)
{
	u64 begin = cpu->idle_from > from ? cpu->idle_from : from;
	u64 end = cpu->idle_until < now ? cpu->idle_until : now;
	return end > begin ? end - begin : 0;
}

/*
 * The part of a wait in the run queue from `from` to `now` in which a CPU was idle that the task may use.
 * Of the CPU of a task that still waits, which `cpu` is none for, nothing is known here.
 */
static __always_inline u64 idle_of_wait(struct ledger_account *s, struct task_struct *task, struct ledger_cpu *cpu,
					u64 from, u64 now)
{
	struct idle_cpus *idle = all_idle();
	if (!idle)
		return 0;
	if (task->nr_cpus_allowed == 1)
		return cpu ? own_idle(cpu, from, now) : 0;
	u64 ns = idle_until(idle, now) - s->idle_at;
	/* One of both was read while it was being changed, which takes two steps. */
	if (ns > now - from)
		ns = idle->any.words ? now - from : 0;
	if (!is_restricted(idle, task))
		return ns;
	return (ns >> 1) * (s->idle_seen + sees_idle(idle, task));
}
