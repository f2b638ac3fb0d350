// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Memory that tasks have to find for themselves: direct reclaim, reclaim at the limit of a
 * control group, compaction, and being made to wait for either; by process.
 *
 * All of these are rare and take microseconds at least, so that two hash maps cost nothing
 * beside them. Page faults, which are frequent, the kernel counts itself.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "dropped.h"
#include "memory.h"
#include "overhead.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct work_key {
	u32 tid;
	u32 work;
};

/* When a task began what it has not ended. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEMORY_AT_WORK);
	__type(key, struct work_key);
	__type(value, u64);
} begun SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEMORY_PROCESSES);
	__type(key, u32);
	__type(value, struct memory_counts);
} counts SEC(".maps");

static __always_inline struct memory_counts *counts_of_process(void)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct memory_counts *found = bpf_map_lookup_elem(&counts, &tgid);
	if (found)
		return found;
	struct memory_counts first = {};
	struct task_struct *task = (void *)bpf_get_current_task();
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	BPF_CORE_READ_STR_INTO(&first.comm, leader, comm);
	bpf_map_update_elem(&counts, &tgid, &first, BPF_NOEXIST);
	found = bpf_map_lookup_elem(&counts, &tgid);
	if (!found)
		count_dropped();
	return found;
}

static __always_inline void begin(u32 work)
{
	struct work_key key = { .tid = bpf_get_current_pid_tgid(), .work = work };
	u64 now = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&begun, &key, &now, BPF_ANY))
		count_dropped();
}

/* What began before we looked is not counted: its time is not known. */
static __always_inline void end(u32 work, u64 pages)
{
	struct work_key key = { .tid = bpf_get_current_pid_tgid(), .work = work };
	u64 *at = bpf_map_lookup_elem(&begun, &key);
	if (!at)
		return;
	u64 ns = bpf_ktime_get_ns() - *at;
	bpf_map_delete_elem(&begun, &key);
	struct memory_counts *count = counts_of_process();
	if (!count)
		return;
	__sync_fetch_and_add(&count->times[work], 1);
	__sync_fetch_and_add(&count->ns[work], ns);
	__sync_fetch_and_add(&count->pages[work], pages);
	count_kept();
}

/* Arguments of the beginnings changed from version to version; none is needed. */
SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(on_direct_reclaim)
{
	return WITH_OVERHEAD(0, begin(MEMORY_DIRECT_RECLAIM));
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(on_direct_reclaim_end, unsigned long pages)
{
	return WITH_OVERHEAD(1, end(MEMORY_DIRECT_RECLAIM, pages));
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int BPF_PROG(on_group_reclaim)
{
	return WITH_OVERHEAD(2, begin(MEMORY_GROUP_RECLAIM));
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int BPF_PROG(on_group_reclaim_end, unsigned long pages)
{
	return WITH_OVERHEAD(3, end(MEMORY_GROUP_RECLAIM, pages));
}

SEC("tp_btf/mm_compaction_begin")
int BPF_PROG(on_compaction)
{
	return WITH_OVERHEAD(4, begin(MEMORY_COMPACTION));
}

SEC("tp_btf/mm_compaction_end")
int BPF_PROG(on_compaction_end)
{
	return WITH_OVERHEAD(5, end(MEMORY_COMPACTION, 0));
}

static __always_inline void throttled(int delayed_us)
{
	struct memory_counts *count = counts_of_process();
	if (!count)
		return;
	__sync_fetch_and_add(&count->throttles, 1);
	if (delayed_us > 0)
		__sync_fetch_and_add(&count->throttled_us, delayed_us);
	count_kept();
}

SEC("tp_btf/mm_vmscan_throttled")
int BPF_PROG(on_throttled, int node, int timeout_us, int delayed_us)
{
	return WITH_OVERHEAD(6, throttled(delayed_us));
}
