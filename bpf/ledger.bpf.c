// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The time ledger: for every task, how long it ran and what it waited for, counted at
 * every switch and kept in task storage, so that there is no map to overflow and a
 * task's account dies with it.
 *
 * Two hooks run always: sched_switch closes one period of the task that leaves and one
 * of the task that comes, sched_waking marks where a wait ends and queueing begins. A
 * task's last switch reports it. An iterator (ledger_read.h) reads all accounts, open periods
 * included.
 * The clock is bpf_ktime_get_ns at the hooks: the scheduler's own figures are wrong
 * after idle wake-ups on virtual machines (docs/decisions/0002-ledger.md).
 *
 * Nothing here decides on a public class; see crates/probe/src/ledger/kind.rs.
 */
#include "vmlinux_min.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "ledger.h"
#include "overhead.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* A stack is taken once this much wait of one kind has gathered without. */
const volatile u64 late_ns = 5000000;
/* Accounts may be created under the run-queue lock: since 6.4 they come from a pool. */
const volatile bool create_at_switch = true;
/* Name tasks by their group of the v1 cpu controller instead of the v2 one. */
const volatile bool cpu_controller_groups = false;
/* Controllers have trees of their own (version 1): a task has a group in each. */
const volatile bool several_trees = false;
/* Tasks born later are accounted from their birth. */
const volatile u64 attached_ns = 0;
/* What the reader starts, and all that comes of it, is the command under examination. */
const volatile bool with_command = false;
/* Words of a set of CPUs in this kernel: a bit for each CPU that may be there. */
const volatile u32 cpu_words = 1;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct ledger_account);
} accounts SEC(".maps");

#include "ledger_kind.h"
#include "ledger_object.h"
#include "ledger_request.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct ledger_cpu);
} cpus SEC(".maps");

static __always_inline struct ledger_cpu *this_cpu(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&cpus, &zero);
}

#include "ledger_idle.h"

/* Ends of tasks: a ledger_record each. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} ends SEC(".maps");

/* Drained by user space at every reading. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, struct ledger_late_key);
	__type(value, struct ledger_late);
} late SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, struct ledger_stack);
} stacks SEC(".maps");

struct scratch {
	/* As it is written: one of the headers, right before the times. */
	union {
		struct ledger_record record;
		struct {
			u8 before[sizeof(struct ledger_record) - sizeof(struct ledger_brief)];
			struct ledger_brief brief;
		};
	};
	struct ledger_time times[KINDS];
	struct ledger_account account; /* without its times */
	struct ledger_stack stack;
	/*
	 * Of the task at hand. Kept in memory, because the verifier walks everything that follows
	 * once for each value that it knows of a variable.
	 */
	u64 now;
	u32 known, torn;
	/* Of the task when its account was copied. */
	u64 exec;
	u32 runs;
	u64 waits_until; /* it waits, or waited, until then */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Set by user space before a pass: whether it wants every task described. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} whole SEC(".maps");

/*
 * Process id of who reads the accounts, as the kernel counts them. It cannot be told by user
 * space, which in a PID namespace knows only its number there. 0 before the first pass.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} reader SEC(".maps");

/* The iterator can be interrupted by a switch: each has a scratch of its own. */
enum { SCRATCH_SWITCH, SCRATCH_ITERATOR };

#define barrier() asm volatile("" ::: "memory")

/*
 * A reader on another CPU copies the account and retries while `seq` is odd or has
 * moved. x86 keeps the order of stores; other architectures need atomics here.
 */
static __always_inline void begin(volatile u32 *seq)
{
	*seq += 1;
	barrier();
}

static __always_inline void finish(volatile u32 *seq)
{
	barrier();
	*seq += 1;
}

/* The stack's hash (FNV-1a by words), its frames stored under it; 0 when there is none. */
static __noinline u64 stack_of(struct task_struct *task, u32 which)
{
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &which);
	if (!scratch)
		return 0;
	struct ledger_stack *stack = &scratch->stack;
	long bytes = bpf_get_task_stack(task, stack->ip, sizeof(stack->ip), 0);
	if (bytes <= 0)
		return 0;
	/*
	 * The helper clears what it does not fill. All of it is hashed: where the loop ended with the
	 * frames, the verifier would walk all that follows once for each number of them.
	 */
	u64 hash = 0xcbf29ce484222325;
#pragma unroll
	for (u32 i = 0; i < LEDGER_FRAMES; i++)
		hash = (hash ^ stack->ip[i]) * 0x100000001b3;
	hash |= 1; /* 0 means none */
	if (!bpf_map_lookup_elem(&stacks, &hash) && bpf_map_update_elem(&stacks, &hash, stack, BPF_NOEXIST)) {
		struct ledger_cpu *cpu = this_cpu();
		if (cpu)
			cpu->stacks_dropped++;
	}
	return hash;
}

/* I/O is ended by an interrupt, which meets any task at all: no waker then. */
static __always_inline bool has_waker(u32 kind)
{
	return (kind >= KINDS_STACKED && kind < KIND_ASYNC) || kind == KIND_FAULT || kind == KIND_READ_BLOCKED ||
	       kind == KIND_WRITE_BLOCKED || kind == KIND_OTHER_BLOCKED || kind == KIND_KTHREAD_BLOCKED;
}

/*
 * A number as an index. Linux 6.1 forgets the bound of a 32-bit register in a copy of it, so
 * the compiler may not take the check of one copy for that of another.
 */
static __always_inline u64 index_of(u32 number)
{
	u64 at = number;
	asm volatile("" : "+r"(at));
	return at;
}

/* The time of a kind in an account's table; a kind that was not used yet gets a place. */
static __always_inline struct ledger_time *time_in(struct ledger_account *s, struct ledger_time *times, u32 kind)
{
	u64 which = index_of(kind);
	if (which >= KINDS)
		return 0;
	u64 at = index_of(s->place[which] - 1);
	if (at >= KINDS) {
		at = index_of(s->used);
		if (at >= KINDS)
			return 0;
		s->used = at + 1;
		s->place[which] = at + 1;
		/* A copy of an account has the places in use only. */
		__builtin_memset(&times[at], 0, sizeof(times[at]));
		times[at].kind = kind;
	}
	return &times[at];
}

/* Writes what has gathered in `kind` since the last record, and what it was about. */
static __noinline void record_late(struct ledger_account *s, struct task_struct *task, u32 kind)
{
	struct ledger_time *time = kind < KINDS_LATE ? time_in(s, s->times, kind) : 0;
	if (!time)
		return;
	struct ledger_late_key key = {
		.start_ns = task->start_time,
		.tid = task->pid,
		.tgid = task->tgid,
		.syscall = s->syscall,
		.kind = kind,
	};
	if (kind < KINDS_STACKED)
		key.stack = stack_of(task, SCRATCH_SWITCH);
	if (has_waker(kind) && s->waker_tid) {
		key.waker_tid = s->waker_tid;
		key.waker_tgid = s->waker_tgid;
	}
	object_of(&key.object, s, task, kind);
	struct ledger_late gathered = {
		.ns = time->ns - s->stacked[kind],
		.waits = time->waits - s->stacked_waits[kind],
	};
	s->stacked[kind] = time->ns;
	s->stacked_waits[kind] = time->waits;
	struct ledger_cpu *cpu = this_cpu();
	struct ledger_late *known = bpf_map_lookup_elem(&late, &key);
	if (known) {
		__sync_fetch_and_add(&known->ns, gathered.ns);
		__sync_fetch_and_add(&known->waits, gathered.waits);
	} else if (bpf_map_update_elem(&late, &key, &gathered, BPF_NOEXIST) && cpu) {
		cpu->late_dropped++;
	}
	/* Last of all: who finds this number as it was need not look into the map. */
	if (cpu)
		cpu->late_recorded++;
}

/* Adds a wait that has ended; the kind's time in all. */
static __always_inline u64 add(struct ledger_account *s, u32 kind, u64 ns)
{
	struct ledger_time *time = time_in(s, s->times, kind);
	if (!time)
		return 0;
	time->ns += ns;
	time->waits++;
	return time->ns;
}

/* Adds a wait in the run queue, which another kind may have led to. */
static __always_inline void add_queued(struct ledger_account *s, struct task_struct *task, struct ledger_cpu *cpu,
				       u64 from, u64 now)
{
	u64 idle = idle_of_wait(s, task, cpu, from, now);
	add(s, KIND_QUEUE, now - from - idle);
	struct ledger_time *time = idle ? time_in(s, s->times, KIND_QUEUE_IDLE) : 0;
	if (time)
		time->ns += idle;
}

/* A period whose switch was not seen: the scheduler's run time tells how much of it ran. */
static __always_inline void repair(struct ledger_account *s, struct task_struct *task, u32 kind, u64 ns)
{
	u64 ran = task->se.sum_exec_runtime - s->exec;
	if (ran > ns)
		ran = ns;
	s->on_cpu += ran;
	s->repaired += ns;
	struct ledger_time *time = time_in(s, s->times, kind);
	if (time)
		time->ns += ns - ran;
}

#define HEAD offsetof(struct ledger_account, times)

/* By helper: copied word by word the verifier would walk hundreds of loads on every path. */
static __always_inline void copy_times(struct scratch *to, struct ledger_account *from)
{
	bpf_probe_read_kernel(&to->account, HEAD, from);
	u64 used = index_of(to->account.used);
	if (used > KINDS)
		used = KINDS;
	bpf_probe_read_kernel(to->times, used * sizeof(*to->times), from->times);
}

/* The group of one controller, by the place that it has among the controllers of this kernel. */
static __always_inline u64 group_at(struct css_set *set, u64 at)
{
	struct cgroup_subsys_state *state = 0;
	bpf_probe_read_kernel(&state, sizeof(state), (void *)&set->subsys[0] + at * sizeof(void *));
	return BPF_CORE_READ(state, cgroup, kn, id);
}

#define GROUP_OF(set, id)                                           \
	(bpf_core_enum_value_exists(enum cgroup_subsys_id, id) ?    \
		 group_at(set, bpf_core_enum_value(enum cgroup_subsys_id, id)) : 0)

static __always_inline u64 control_group(struct task_struct *task)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	if (!cpu_controller_groups)
		return BPF_CORE_READ(set, dfl_cgrp, kn, id);
	return group_at(set, bpf_core_enum_value(enum cgroup_subsys_id, cpu_cgrp_id));
}

/* Of who ends: nobody can read its /proc/PID/cgroup any more. */
static __always_inline void describe_groups(struct ledger_record *r, struct task_struct *task)
{
	if (!several_trees)
		return;
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	r->cgroup_memory = GROUP_OF(set, memory_cgrp_id);
	r->cgroup_io = GROUP_OF(set, io_cgrp_id);
	r->cgroup_pids = GROUP_OF(set, pids_cgrp_id);
}

/* The task's own counts: those of its process would have what children did that it waited for. */
static __always_inline void count_io(struct ledger_io *io, struct task_struct *task)
{
	if (!bpf_core_field_exists(task->ioac.syscr) || !bpf_core_field_exists(task->ioac.read_bytes)) {
		__builtin_memset(io, 0xff, sizeof(*io));
		return;
	}
	io->read_bytes = task->ioac.read_bytes;
	io->write_bytes = task->ioac.write_bytes;
	io->cancelled_write_bytes = task->ioac.cancelled_write_bytes;
	io->read_chars = task->ioac.rchar;
	io->write_chars = task->ioac.wchar;
	io->read_calls = task->ioac.syscr;
	io->write_calls = task->ioac.syscw;
}

static __always_inline void describe(struct ledger_record *r, struct task_struct *task)
{
	r->tid = task->pid;
	r->tgid = task->tgid;
	r->start_ns = task->start_time;
	r->start_boot_ns = task->start_boottime;
	r->process_start_boot_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	r->parent = BPF_CORE_READ(task, real_parent, tgid);
	r->cgroup = control_group(task);
	r->utime_ns = task->utime;
	r->stime_ns = task->stime;
	r->exec_ns = task->se.sum_exec_runtime;
	r->run_delay_ns = task->sched_info.run_delay;
	r->voluntary = task->nvcsw;
	r->involuntary = task->nivcsw;
	r->minor_faults = task->min_flt;
	r->major_faults = task->maj_flt;
	count_io(&r->io, task);
	r->flags = task->flags;
	r->state = raw_state(task);
	if (bpf_core_field_exists(task->thread_info.cpu)) {
		r->cpu = task->thread_info.cpu;
	} else {
		struct task_struct___before_5_16 *old = (void *)task;
		r->cpu = BPF_CORE_READ(old, cpu);
	}
	r->policy = task->policy;
	r->rt_priority = task->rt_priority;
	r->static_prio = task->static_prio;
	r->allowed_cpus = task->nr_cpus_allowed;
	__builtin_memcpy(r->comm, task->comm, sizeof(r->comm));
	/* Not loaded directly: the verifier searches all types by name for every such load. */
	BPF_CORE_READ_INTO(&r->process, task, group_leader, comm);
}

/* Adds what has passed of an open wait in the run queue to the copied account's times. */
static __always_inline void add_open_queue(struct scratch *scratch, struct task_struct *task, u64 from, u64 now)
{
	struct ledger_account *s = &scratch->account;
	u64 idle = idle_of_wait(s, task, 0, from, now);
	struct ledger_time *time = time_in(s, scratch->times, KIND_QUEUE);
	if (time)
		time->ns += now - from - idle;
	time = idle ? time_in(s, scratch->times, KIND_QUEUE_IDLE) : 0;
	if (time)
		time->ns += idle;
}

/* Length of the open wait of the copied account at `now`, which its times then hold. */
static __noinline u64 close_copy(struct scratch *scratch, struct task_struct *task, u64 now)
{
	struct ledger_account *s = &scratch->account;
	u64 open = s->since && now > s->since ? now - s->since : 0;
	if (s->on) {
		s->on_cpu += open;
		return 0;
	}
	u64 queued = 0;
	if (s->kind == KIND_QUEUE)
		queued = open;
	else if (s->kind < KIND_QUEUE && s->woken >= s->since && s->woken <= now && s->since)
		queued = now - s->woken;
	if (queued)
		add_open_queue(scratch, task, now - queued, now);
	if (s->kind == KIND_QUEUE)
		return open;
	struct ledger_time *time = time_in(s, scratch->times, s->kind);
	if (!time)
		return 0;
	time->ns += open - queued;
	return open - queued;
}

/* Fills in what the copied account says, but for the open wait's stack and object. */
static __always_inline void tell(struct scratch *scratch, u64 now, u64 open_ns)
{
	struct ledger_account *s = &scratch->account;
	struct ledger_record *r = &scratch->record;
	r->now = now;
	r->on = s->on;
	r->dead = s->dead;
	r->called = s->called;
	r->in_command = s->in_command;
	r->repaired = s->repaired;
	r->on_cpu = s->on_cpu;
	r->open_kind = s->kind;
	r->open_syscall = s->syscall;
	r->open_ns = open_ns;
	r->open_stack = 0;
	r->open_gathered = 0;
	r->times = s->used;
	__builtin_memset(&r->open_object, 0, sizeof(r->open_object));
}

/* Length of the times; a count that the verifier can follow. */
static __always_inline u32 times_length(struct scratch *scratch)
{
	u32 used = scratch->account.used;
	return (used < KINDS ? used : KINDS) * sizeof(struct ledger_time);
}

/* The last switch of a task: its account goes to user space whole. */
static __noinline void report_end(struct ledger_account *s, struct task_struct *task, u64 now)
{
	u32 which = SCRATCH_SWITCH;
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &which);
	if (!scratch)
		return;
	s->dead = 1;
	copy_times(scratch, s);
	describe(&scratch->record, task);
	describe_groups(&scratch->record, task);
	scratch->record.torn = 0;
	tell(scratch, now, close_copy(scratch, task, now));
	if (bpf_ringbuf_output(&ends, &scratch->record, sizeof(scratch->record) + times_length(scratch),
			       BPF_RB_NO_WAKEUP)) {
		struct ledger_cpu *cpu = this_cpu();
		if (cpu)
			cpu->exits_dropped++;
	}
}

static __always_inline void leave(struct task_struct *task, u32 state, u64 now, struct ledger_cpu *cpu)
{
	struct ledger_account *s = bpf_task_storage_get(
		&accounts, task, 0, create_at_switch ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (!s) {
		cpu->no_account++;
		return;
	}
	begin(&s->seq);
	if (s->since) {
		u64 ns = now - s->since;
		if (s->on) {
			s->on_cpu += ns;
		} else {
			cpu->missed_in++;
			repair(s, task, s->kind, ns);
		}
	} else if (task->start_time > attached_ns) {
		s->on_cpu = now - task->start_time;
	}
	s->on = 0;
	s->waker_tid = 0;
	s->since = now;
	s->exec = task->se.sum_exec_runtime;
	s->kind = wait_kind(s, task, state);
	if (state)
		s->called = 1;
	if (s->kind == KIND_QUEUE)
		note_idle(s, task, now);
	else if (s->kind == KIND_ASYNC || s->kind == KIND_OTHER_IO || s->kind == KIND_OTHER_BLOCKED)
		note_requests(s, task);
	if (state & TASK_DEAD)
		report_end(s, task, now);
	finish(&s->seq);
}

static __always_inline void come(struct task_struct *task, u64 now, struct ledger_cpu *cpu)
{
	struct ledger_account *s = bpf_task_storage_get(
		&accounts, task, 0, create_at_switch ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (!s) {
		cpu->no_account++;
		return;
	}
	begin(&s->seq);
	u32 kind = s->kind;
	u64 queued_at = now;
	if (!s->since) {
		/* A task's first time on a CPU: it has been in the queue since its birth. */
		if (task->start_time > attached_ns)
			queued_at = task->start_time;
	} else if (s->on) {
		cpu->missed_out++;
		repair(s, task, KIND_UNKNOWN, now - s->since);
	} else if (kind < KIND_QUEUE) {
		if (s->woken >= s->since && s->woken <= now)
			queued_at = s->woken;
		u64 all = add(s, kind, queued_at - s->since);
		if (kind < KINDS_LATE && all - s->stacked[kind] >= late_ns)
			record_late(s, task, kind);
	} else if (kind == KIND_QUEUE) {
		queued_at = s->since;
	} else {
		add(s, kind, now - s->since);
	}
	if (queued_at != now)
		add_queued(s, task, cpu, queued_at, now);
	s->since = now;
	s->exec = task->se.sum_exec_runtime;
	s->on = 1;
	finish(&s->seq);
}

static __always_inline void switched(bool preempted, struct task_struct *prev, struct task_struct *next, u32 state)
{
	u64 now = bpf_ktime_get_ns();
	struct ledger_cpu *cpu = this_cpu();
	if (!cpu)
		return;
	begin(&cpu->seq);
	if (cpu->since) {
		u64 ns = now - cpu->since;
		if (prev->pid) {
			cpu->busy_ns += ns;
		} else {
			cpu->idle_ns += ns;
			cpu->idle_from = cpu->since;
			cpu->idle_until = now;
		}
	}
	cpu->since = now;
	cpu->switches++;
	cpu->idle_now = !next->pid;
	finish(&cpu->seq);
	/* Preempted with a sleep state set is still runnable. */
	if (prev->pid)
		leave(prev, preempted ? 0 : state, now, cpu);
	if (next->pid)
		come(next, now, cpu);
	/* By what was said before: of a switch that was not seen the next one tells. */
	if (cpu->told_idle != 1 + cpu->idle_now)
		turn_idle(now);
}

/* Programs, as their own overhead is counted. */
enum { OF_SWITCHES, OF_WAKINGS, OF_BIRTHS };

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempted, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	return WITH_OVERHEAD(OF_SWITCHES, switched(preempted, prev, next, state));
}

/* Before 5.18 the tracepoint did not hand over the state that the scheduler acted on. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch_before_5_18, bool preempted, struct task_struct *prev, struct task_struct *next)
{
	return WITH_OVERHEAD(OF_SWITCHES, switched(preempted, prev, next, raw_state(prev)));
}

static __always_inline void woken(struct task_struct *task)
{
	struct ledger_account *s = bpf_task_storage_get(&accounts, task, 0, 0);
	if (!s)
		return;
	if (s->on) {
		note_early(s, task);
		return;
	}
	if (s->woken >= s->since)
		return;
	u64 now = bpf_ktime_get_ns();
	if (s->assumed && now - s->since > LEDGER_FILE_SURE_NS)
		make_sure(s, task);
	if (s->timed & (WAITS_TIMED | WAITS_BESIDE)) {
		if (is_no_poll(s, now))
			s->timed = WAS_WOKEN;
		else
			end_condition(s, task);
	} else if (may_be_lock(s) || has_waker(s->kind)) {
		struct task_struct *waker = (struct task_struct *)bpf_get_current_task_btf();
		s->waker_tid = waker->pid;
		s->waker_tgid = waker->tgid;
		s->kind = futex_kind_at_end(s, task, waker);
	}
	if (s->file_type == FILE_UNIX_PAIR && (s->kind == KIND_SOCKET_READ || s->kind == KIND_PEER))
		note_request(s, (struct task_struct *)bpf_get_current_task_btf());
	note_idle(s, task, now);
	s->woken = now;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	return WITH_OVERHEAD(OF_WAKINGS, woken(task));
}

/*
 * Where accounts cannot be created under the run-queue lock, new tasks get theirs here; and
 * where a command is examined, its mark is handed on here. Who calls is the maker, whoever
 * the parent will be: a mark survives that a parent ends and others adopt its children.
 */
static __always_inline void born(struct task_struct *task)
{
	struct ledger_account *s = bpf_task_storage_get(&accounts, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!s || !with_command)
		return;
	u32 zero = 0;
	u32 *starter = bpf_map_lookup_elem(&reader, &zero);
	struct task_struct *maker = bpf_get_current_task_btf();
	if (starter && maker->tgid == *starter) {
		s->in_command = task->tgid != maker->tgid;
		return;
	}
	struct ledger_account *own = bpf_task_storage_get(&accounts, maker, 0, 0);
	if (own)
		s->in_command = own->in_command;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_new_task, struct task_struct *task)
{
	return WITH_OVERHEAD(OF_BIRTHS, born(task));
}

#include "ledger_read.h"
