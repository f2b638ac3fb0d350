/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What our own programs take of the time of those in whose way they are: how often each ran, and how
 * long, of which some runs tell. To time a run takes two readings of the clock, so a run is timed after a
 * number of others that is drawn by lot, and stands for all of these: a load that repeats itself cannot
 * keep step with that. Where runs are rare each is timed, because then they find their memory in no cache
 * and take longest; at 100,000 a second one in some sixty.
 *
 * Each CPU has numbers of its own. The kernel counts the same when asked (BPF_ENABLE_STATS), for two
 * readings of the clock a run, and with more rights than the programs need.
 */
#pragma once

/* Programs of an object at most. */
#define OVERHEAD_PROGRAMS 8
/* Runs are timed about so often, on each CPU. */
#define OVERHEAD_EVERY_NS 1000000
/* One less than the most runs that one is drawn from. */
#define OVERHEAD_MOST 127
/*
 * No program of ours runs for so long: a hypervisor or an interrupt came between, whose time is none of
 * ours and would count for all runs that this one stands for. The next one that is timed does instead.
 */
#define OVERHEAD_INTERRUPTED_NS 100000

struct overhead_of {
	u64 runs;
	u64 told; /* runs that `ns` is the time of */
	u64 ns;
	u64 since; /* the run at hand is timed, from here */
	u64 timed; /* when one was timed last */
	u64 next; /* the run that is timed next */
	u64 drawn_from; /* one less than the runs that it was drawn from: 2^n - 1 */
};

struct overhead {
	struct overhead_of of[OVERHEAD_PROGRAMS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct overhead);
} overhead SEC(".maps");

/*
 * First in a program. Whether the run is timed stands in memory, not in a register: the verifier would
 * walk all that follows twice.
 */
static __always_inline struct overhead_of *overhead_begin(u32 program)
{
	u32 zero = 0;
	struct overhead *all = bpf_map_lookup_elem(&overhead, &zero);
	if (!all)
		return 0;
	struct overhead_of *of = &all->of[program];
	of->runs++;
	if (of->runs >= of->next)
		of->since = bpf_ktime_get_ns();
	return of;
}

/* Last in a program. */
static __always_inline void overhead_end(struct overhead_of *of)
{
	if (!of || !of->since)
		return;
	u64 now = bpf_ktime_get_ns(), ns = now - of->since;
	of->since = 0;
	if (ns < OVERHEAD_INTERRUPTED_NS) {
		of->ns += ns * (of->runs - of->told);
		of->told = of->runs;
	}
	u64 from = now - of->timed > OVERHEAD_EVERY_NS ? of->drawn_from >> 1 : of->drawn_from << 1 | 1;
	of->drawn_from = from & OVERHEAD_MOST;
	of->timed = now;
	of->next = of->runs + 1 + (bpf_get_prandom_u32() & of->drawn_from);
}

/* A program that is nothing but `work`, whose runs are counted as number `program` of its object. */
#define WITH_OVERHEAD(program, work)                          \
	({                                                    \
		struct overhead_of *of = overhead_begin(program); \
		work;                                         \
		overhead_end(of);                             \
		0;                                            \
	})
