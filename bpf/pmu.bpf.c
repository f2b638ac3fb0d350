// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Whose events the CPUs' hardware counters count: at each overflow of a counter the process
 * that runs is given the events since the overflow before. There is a program for each event,
 * because a program is not told which counter has overflowed.
 *
 * Everything is allocated beforehand, and by CPU: overflows come as interrupts that cannot be
 * held off.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "dropped.h"
#include "overhead.h"
#include "pmu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The context of the program as the kernel promises it on x86-64 (asm/ptrace.h). */
struct bpf_perf_event_data {
	u64 r15_to_orig_ax[16];
	u64 ip, cs, flags, sp, ss;
	u64 sample_period, addr;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, PMU_PROCESSES);
	__type(key, u32);
	__type(value, struct pmu_count);
} counts SEC(".maps");

static __always_inline void sample(struct bpf_perf_event_data *ctx, u32 event)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 tgid = task->tgid;
	struct pmu_count *count = bpf_map_lookup_elem(&counts, &tgid);
	if (!count) {
		struct pmu_count first = {};
		BPF_CORE_READ_INTO(&first.comm, task, group_leader, comm);
		bpf_map_update_elem(&counts, &tgid, &first, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&counts, &tgid);
	}
	if (count) {
		count->periods[event] += ctx->sample_period;
		count->samples[event]++;
		return;
	}
	count_dropped();
}

#define ON_EVENT(event)                                       \
	SEC("perf_event")                                     \
	int on_event_##event(struct bpf_perf_event_data *ctx) \
	{                                                     \
		return WITH_OVERHEAD(event, sample(ctx, event)); \
	}

ON_EVENT(0)
ON_EVENT(1)
ON_EVENT(2)
ON_EVENT(3)
ON_EVENT(4)
ON_EVENT(5)
