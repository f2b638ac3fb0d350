/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How many things a counter could not keep, because a map was full, and how many it has kept, so
 * that a reader need not walk through a map to which nothing came: each CPU has its own numbers,
 * which the user half adds up.
 */
#pragma once

struct totals {
	u64 dropped;
	u64 kept;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct totals);
} totals SEC(".maps");

static __always_inline void count_dropped(void)
{
	u32 zero = 0;
	struct totals *total = bpf_map_lookup_elem(&totals, &zero);
	if (total)
		total->dropped++;
}

/* Last of all, when it is in the map: who finds this number as it was must have missed nothing. */
static __always_inline void count_kept(void)
{
	u32 zero = 0;
	struct totals *total = bpf_map_lookup_elem(&totals, &zero);
	if (total)
		total->kept++;
}
