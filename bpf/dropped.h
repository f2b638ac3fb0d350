/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How many things a counter could not keep, because a map was full: each CPU has its own
 * number, which the user half adds up.
 */
#pragma once

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} dropped SEC(".maps");

static __always_inline void count_dropped(void)
{
	u32 zero = 0;
	u64 *lost = bpf_map_lookup_elem(&dropped, &zero);
	if (lost)
		(*lost)++;
}
