//! Who: tasks named so that an administrator knows them.

use heldup_model::TaskShare;

use crate::quantity::{count, seconds};

/// Name under which the ledger sums up the tasks beyond its first 20.
pub(crate) const OTHERS: &str = "(others)";

/// How many tasks one entry stands for.
fn number(task: &TaskShare) -> usize {
    task.tasks.and_then(|tasks| usize::try_from(tasks).ok()).unwrap_or(1)
}

/// Tasks of one name taken together: name, number of tasks, seconds; largest first.
pub(crate) fn by_name(tasks: &[TaskShare]) -> Vec<(String, usize, f64)> {
    let mut merged: Vec<(String, usize, f64)> = Vec::new();
    for task in tasks {
        let spent = task.seconds.unwrap_or(0.0);
        match merged.iter_mut().find(|(name, ..)| *name == task.name) {
            Some((_, tasks, sum)) => {
                *tasks += number(task);
                *sum += spent;
            }
            None => merged.push((task.name.clone(), number(task), spent)),
        }
    }
    // What is left over comes last, however much it is: it is nobody.
    merged.sort_by(|a, b| (a.0 == OTHERS).cmp(&(b.0 == OTHERS)).then(b.2.total_cmp(&a.2)));
    merged
}

/// Up to `most` tasks as `fio (4410, build.service) 2.8 s, cp (4411)`, and how many more.
/// What several tasks did stands once, before them (`held the lock: a (7) 3 s, b (8)`);
/// what each did by itself stands behind its name (`fio (4410) 2.8 s: 900 creates`).
pub(crate) fn list(tasks: &[TaskShare], most: usize) -> String {
    let mut roles: Vec<&str> = tasks.iter().filter_map(|task| task.role.as_deref()).collect();
    let with_role = roles.len();
    roles.sort_unstable();
    roles.dedup();
    if roles.len() > 1 && roles.len() == with_role {
        return each_with_its_role(tasks, most);
    }
    let mut in_order: Vec<Option<&str>> = Vec::new();
    for task in tasks {
        if !in_order.contains(&task.role.as_deref()) {
            in_order.push(task.role.as_deref());
        }
    }
    let of_role = |role: &Option<&str>| {
        let alike: Vec<TaskShare> =
            tasks.iter().filter(|task| task.role.as_deref() == *role).cloned().collect();
        role.map(|role| format!("{role}: ")).unwrap_or_default() + &named(&alike, most)
    };
    in_order.iter().map(of_role).collect::<Vec<_>>().join(" · ")
}

/// Tasks that all did something else, in the order of the rule: the guiltiest first.
fn each_with_its_role(tasks: &[TaskShare], most: usize) -> String {
    let with_role = |task: &TaskShare| {
        let name = one(std::slice::from_ref(task), &task.name, number(task), task.seconds.unwrap_or(0.0));
        task.role.as_ref().map_or(name.clone(), |role| format!("{name}: {role}"))
    };
    let mut named: Vec<String> = tasks.iter().take(most).map(with_role).collect();
    let left = tasks.len().saturating_sub(most);
    if left > 0 {
        named.push(format!("{} more", count(left as i64)));
    }
    named.join(", ")
}

/// Whether two lists are the same tasks with the same seconds, whatever is said of them.
pub(crate) fn are_the_same(a: &[TaskShare], b: &[TaskShare]) -> bool {
    let alike = |one: &TaskShare, other: &TaskShare| {
        let (x, y) = (one.seconds.unwrap_or(0.0), other.seconds.unwrap_or(0.0));
        // Two queries may sum the same time with other roundings.
        one.tid == other.tid
            && one.pid == other.pid
            && one.name == other.name
            && (x - y).abs() <= 0.01 * x.abs()
    };
    a.len() == b.len() && a.iter().all(|one| b.iter().any(|other| alike(one, other)))
}

/// Up to `most` tasks by name, and how many more.
fn named(tasks: &[TaskShare], most: usize) -> String {
    let merged = by_name(tasks);
    let mut named: Vec<String> =
        merged.iter().take(most).map(|(name, number, spent)| one(tasks, name, *number, *spent)).collect();
    let left = merged.get(most..).unwrap_or_default();
    let spent: f64 = left.iter().map(|(_, _, spent)| spent).sum();
    if spent > 0.0 {
        named.push(format!("others {}", seconds(spent)));
    } else if !left.is_empty() {
        named.push(format!("{} more", count(left.len() as i64)));
    }
    named.join(", ")
}

/// One name with what tells it from others of that name.
fn one(tasks: &[TaskShare], name: &str, number: usize, spent: f64) -> String {
    let of_name = || tasks.iter().filter(|task| task.name == name);
    let mut details: Vec<String> = Vec::new();
    if number > 1 {
        details.push(format!("{}\u{a0}tasks", count(number as i64)));
    } else if let Some(id) = of_name().find_map(|task| task.tid.or(task.pid)) {
        details.push(id.to_string());
    }
    details.extend(shared_home(of_name().collect()));
    let mut text = name.to_owned();
    if !details.is_empty() && name != OTHERS {
        text += &format!(" ({})", details.join(", "));
    }
    if spent > 0.0 {
        text += &format!(" {}", seconds(spent));
    }
    text
}

/// The unit, or else the last part of the control group, when all the tasks share it.
pub(crate) fn shared_home(tasks: Vec<&TaskShare>) -> Option<String> {
    let home = |task: &TaskShare| {
        task.unit.clone().or_else(|| {
            let group = task.cgroup.as_deref()?.trim_end_matches('/');
            group.rsplit('/').next().filter(|leaf| !leaf.is_empty()).map(str::to_owned)
        })
    };
    let first = home(tasks.first()?)?;
    tasks.iter().all(|task| home(task).as_deref() == Some(&first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, tid: i64, cgroup: &str, seconds: f64) -> TaskShare {
        let (tid, cgroup) = (Some(tid), Some(cgroup.to_owned()));
        TaskShare { name: name.to_owned(), tid, cgroup, seconds: Some(seconds), ..TaskShare::default() }
    }

    #[test]
    fn tasks_of_a_name_are_one() {
        let tasks = [
            task("pg", 1, "/a/pg.service", 1.0),
            task(OTHERS, 0, "/", 9.0),
            task("fio", 4, "/", 2.5),
            task("pg", 2, "/a/pg.service", 1.0),
        ];
        assert_eq!(
            list(&tasks, 2).replace('\u{a0}', " "),
            "fio (4) 2.5 s, pg (2 tasks, pg.service) 2 s, others 9 s"
        );
        assert_eq!(by_name(&tasks)[2].0, OTHERS);
    }

    #[test]
    fn tasks_that_a_rule_took_together_are_counted() {
        let with = |mut task: TaskShare, tasks: i64| {
            task.role = Some("ran or waited for a CPU".to_owned());
            task.tasks = Some(tasks);
            task
        };
        let tasks = [with(task("cc1", 1, "/", 4.0), 6), with(task("as", 2, "/", 2.0), 1)];
        assert_eq!(
            list(&tasks, 3).replace('\u{a0}', " "),
            "ran or waited for a CPU: cc1 (6 tasks) 4 s, as (2) 2 s"
        );
    }

    #[test]
    fn the_same_tasks_are_known_again() {
        let (a, b) = (task("a", 1, "/", 8.76), task("b", 2, "/", 6.66));
        assert!(are_the_same(&[a.clone(), b.clone()], &[b.clone(), task("a", 1, "/", 8.75)]));
        assert!(!are_the_same(std::slice::from_ref(&a), &[task("a", 1, "/", 4.0)]));
        assert!(!are_the_same(&[a], &[b]));
    }

    #[test]
    fn a_role_says_what_it_did() {
        let with = |mut task: TaskShare, role: &str| {
            task.role = Some(role.to_owned());
            task
        };
        let tasks = [with(task("a", 4, "", 0.0), "held it"), with(task("b", 5, "", 0.0), "held it")];
        assert_eq!(list(&tasks, 3), "held it: a (4), b (5)");
        let tasks = [with(task("a", 4, "", 0.0), "read"), with(task("b", 5, "", 0.0), "wrote")];
        assert_eq!(list(&tasks, 3), "a (4): read, b (5): wrote");
    }
}
