//! Tasks of one program are one entry, wherever tasks are named: in the classes of time and in findings.
//!
//! What is left out of a list is its last entry, with its seconds: the entries of a list sum to the whole.

use std::collections::HashMap;

use heldup_model::TaskShare;

/// Name of the entry for what is not named.
pub const OTHERS: &str = "(others)";

/// Entries by program and role, largest first, and one for all beyond the first `most`.
pub(crate) fn by_program(tasks: Vec<TaskShare>, most: usize) -> Vec<TaskShare> {
    let mut programs = merged(tasks);
    // The sort is stable: of equals the first stays first.
    programs.sort_by(|a, b| spent(b).total_cmp(&spent(a)));
    with_others(programs, most)
}

/// The same in the order in which the programs come, which says more than their seconds.
pub(crate) fn in_order(tasks: Vec<TaskShare>, most: usize) -> Vec<TaskShare> {
    with_others(merged(tasks), most)
}

/// Seconds of all entries.
pub(crate) fn sum(tasks: &[TaskShare]) -> f64 {
    // Not sum(): the sum of nothing is -0.0 there, and JSON would show it.
    tasks.iter().filter_map(|task| task.seconds).fold(0.0, |sum, s| sum + s)
}

/// The program's own name, as the kernel knows it.
const OWN_NAME: &str = "heldup";
/// Name of another heldup: the measuring one is in no table.
const ANOTHER: &str = "heldup (another)";

/// Names a second heldup on the machine as such, so that it is not confused with the measuring one.
pub(crate) fn name_another(tasks: &mut [TaskShare]) {
    tasks.iter_mut().filter(|task| task.name == OWN_NAME).for_each(|task| task.name = ANOTHER.to_owned());
}

/// The same in a title: the name alone, not as part of a path.
pub(crate) fn name_another_in(title: &str) -> String {
    let is_alone = |at: usize| {
        let (before, after) = (&title[..at], &title[at + OWN_NAME.len()..]);
        before.chars().next_back().is_none_or(|c| c == ' ' || c == '(')
            && after.chars().next().is_none_or(|c| matches!(c, ' ' | ',' | ')' | ':'))
            && !after.starts_with(" (another)")
    };
    let mut named = String::new();
    let mut from = 0;
    for (at, _) in title.match_indices(OWN_NAME).filter(|(at, _)| is_alone(*at)) {
        named += &title[from..at];
        named += ANOTHER;
        from = at + OWN_NAME.len();
    }
    named + &title[from..]
}

fn spent(task: &TaskShare) -> f64 {
    task.seconds.unwrap_or(0.0)
}

fn merged(tasks: Vec<TaskShare>) -> Vec<TaskShare> {
    let mut places: HashMap<(String, Option<String>), usize> = HashMap::new();
    let mut programs: Vec<TaskShare> = Vec::new();
    for task in tasks {
        let place = *places.entry((task.name.clone(), task.role.clone())).or_insert(programs.len());
        match programs.get_mut(place) {
            Some(program) => add(program, task),
            None => programs.push(task),
        }
    }
    programs
}

/// Takes a task into the entry of its program, which then says what all of its tasks have in common, and the
/// process of the first of them: by that it is known whether the entry is about a command or a test's program.
fn add(program: &mut TaskShare, task: TaskShare) {
    program.tasks = Some(program.tasks.unwrap_or(1) + task.tasks.unwrap_or(1));
    program.seconds = match (program.seconds, task.seconds) {
        (Some(sum), Some(more)) => Some(sum + more),
        (known, more) => known.or(more),
    };
    program.pid = program.pid.or(task.pid);
    program.tid = program.tid.filter(|tid| task.tid == Some(*tid));
    program.cgroup = program.cgroup.take().filter(|cgroup| task.cgroup.as_ref() == Some(cgroup));
    program.unit = program.unit.take().filter(|unit| task.unit.as_ref() == Some(unit));
}

fn with_others(mut programs: Vec<TaskShare>, most: usize) -> Vec<TaskShare> {
    if programs.len() > most {
        let rest = programs.split_off(most);
        let tasks = rest.iter().map(|task| task.tasks.unwrap_or(1)).sum();
        let seconds = rest.iter().any(|task| task.seconds.is_some()).then(|| sum(&rest));
        programs.push(TaskShare {
            name: OTHERS.to_owned(),
            seconds,
            tasks: Some(tasks),
            ..TaskShare::default()
        });
    }
    programs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, pid: i64, tid: i64, seconds: f64) -> TaskShare {
        let (pid, tid) = (Some(pid), Some(tid));
        TaskShare { name: name.to_owned(), pid, tid, seconds: Some(seconds), ..TaskShare::default() }
    }

    #[test]
    fn two_hundred_tasks_of_a_program_are_one_entry() {
        let mut tasks: Vec<TaskShare> = (0..200).map(|n| task("sched-messaging", n, n, 1.1)).collect();
        tasks.push(task("sshd", 900, 900, 2.0));
        let programs = by_program(tasks, 20);
        assert_eq!(programs.len(), 2);
        assert_eq!((programs[0].name.as_str(), programs[0].tasks), ("sched-messaging", Some(200)));
        assert!((sum(&programs[..1]) - 220.0).abs() < 1e-9);
        assert_eq!((programs[0].pid, programs[0].tid), (Some(0), None), "the first of several processes");
        assert_eq!((programs[1].tasks, programs[1].tid), (None, Some(900)), "one task needs no number");
    }

    #[test]
    fn what_is_not_named_is_others_with_its_seconds() {
        let tasks: Vec<TaskShare> =
            (0..30).map(|n| task(&format!("p{n}"), n, n, f64::from(n as i32))).collect();
        let all = sum(&tasks);
        let programs = by_program(tasks, 20);
        assert_eq!(programs.len(), 21);
        assert_eq!((programs[20].name.as_str(), programs[20].tasks), (OTHERS, Some(10)));
        assert!((sum(&programs) - all).abs() < 1e-9, "{} of {all}", sum(&programs));
    }

    #[test]
    fn threads_of_a_process_keep_its_id_and_roles_stay_apart() {
        let mut tasks = vec![task("java", 7, 7, 1.0), task("java", 7, 8, 2.0), task("java", 7, 9, 4.0)];
        tasks[2].role = Some("held the lock".to_owned());
        let programs = in_order(tasks, 5);
        assert_eq!((programs[0].pid, programs[0].tid, programs[0].tasks), (Some(7), None, Some(2)));
        assert_eq!((programs[1].seconds, programs[1].role.as_deref()), (Some(4.0), Some("held the lock")));
    }

    #[test]
    fn another_heldup_is_named_as_such() {
        let mut tasks = [task("heldup", 7, 7, 1.0), task("heldup-bench", 8, 8, 1.0)];
        name_another(&mut tasks);
        assert_eq!([&*tasks[0].name, &*tasks[1].name], ["heldup (another)", "heldup-bench"]);
        for (title, named) in [
            ("threads of heldup waited 3 s", "threads of heldup (another) waited 3 s"),
            ("a lock on /run/heldup/lock", "a lock on /run/heldup/lock"),
            (
                "lock_file 3 s (heldup, /run/heldup/lock)",
                "lock_file 3 s (heldup (another), /run/heldup/lock)",
            ),
        ] {
            assert_eq!(name_another_in(title), named);
        }
    }
}
