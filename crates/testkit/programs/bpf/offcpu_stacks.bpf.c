// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The rival of the bench: off-CPU time by task and by its kernel and user stacks, taken at
 * every switch. It does what known off-CPU programs do and no more, so that what a stack
 * a switch costs can be measured beside our ledger, on the same kernel and in the same
 * rounds. No part of the product.
 *
 * Accounts of ended tasks stay: it runs for seconds.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The most frames that the kernel walks unless told otherwise (kernel.perf_event_max_stack). */
#define FRAMES 127
/* A machine that builds software makes 10000 ways to wait in 3 s (6.18, 2 CPUs). */
#define TASKS 16384
#define WAYS 65536
#define STACKS 16384

/* A task that is off its CPU. Ids below 0 are errors: no stack. */
struct leave {
	u64 when_ns;
	s32 kernel_stack;
	s32 user_stack;
};

struct wait_key {
	u32 tgid;
	u32 tid;
	s32 user_stack;
	s32 kernel_stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TASKS);
	__type(key, u32);
	__type(value, struct leave);
} left SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAYS);
	__type(key, struct wait_key);
	__type(value, u64);
} off_ns SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, STACKS);
	__uint(key_size, sizeof(u32));
	__uint(value_size, FRAMES * sizeof(u64));
} stacks SEC(".maps");

static __always_inline void comes_back(struct task_struct *task, u64 now)
{
	u32 tid = task->pid;
	struct leave *leave = bpf_map_lookup_elem(&left, &tid);

	if (!leave)
		return;
	struct wait_key key = {
		.tgid = task->tgid,
		.tid = tid,
		.user_stack = leave->user_stack,
		.kernel_stack = leave->kernel_stack,
	};
	u64 off = now - leave->when_ns;
	u64 *sum = bpf_map_lookup_elem(&off_ns, &key);
	if (sum)
		__sync_fetch_and_add(sum, off);
	else
		bpf_map_update_elem(&off_ns, &key, &off, BPF_NOEXIST);
}

/* The stacks are those of `prev`: the trace point fires before it is left. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempted, struct task_struct *prev, struct task_struct *next)
{
	u64 now = bpf_ktime_get_ns();
	u32 tid = prev->pid;

	/* The idle tasks, one a CPU, all have the number 0. */
	if (tid) {
		struct leave leave = {
			.when_ns = now,
			.kernel_stack = bpf_get_stackid(ctx, &stacks, 0),
			.user_stack = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK),
		};
		bpf_map_update_elem(&left, &tid, &leave, BPF_ANY);
	}
	if (next->pid)
		comes_back(next, now);
	return 0;
}
