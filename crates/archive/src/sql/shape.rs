//! What the text of a question tells about its tables and subqueries.
//!
//! Works on tokens, not on a syntax tree: it finds the tables behind aliases, and
//! the subqueries that have one row by their form. What it does not recognize it
//! leaves out, so that its users are cautious rather than wrong.

use std::collections::{HashMap, HashSet};

use super::tokens::{Placed, Token, tokens};

/// Functions that make one row of many; of min and max only those with one argument.
const AGGREGATES: [&str; 15] = [
    "avg",
    "count",
    "first_at",
    "group_concat",
    "last_at",
    "max",
    "median",
    "min",
    "quantile",
    "share",
    "slope",
    "string_agg",
    "sum",
    "total",
    "weighted_mean",
];

/// Words that cannot be an alias although they follow a table.
const NOT_ALIASES: [&str; 21] = [
    "on",
    "where",
    "group",
    "order",
    "join",
    "left",
    "right",
    "inner",
    "cross",
    "natural",
    "full",
    "limit",
    "using",
    "union",
    "except",
    "intersect",
    "having",
    "window",
    "as",
    "outer",
    "indexed",
];

/// A keyword or name in lower case.
fn word(token: Option<&Placed<'_>>) -> Option<String> {
    match token.map(|placed| &placed.token) {
        Some(Token::Name(name)) => Some(name.to_ascii_lowercase()),
        _ => None,
    }
}

fn is_mark(token: Option<&Placed<'_>>, mark: &str) -> bool {
    token.is_some_and(|placed| placed.token == Token::Mark(mark))
}

/// The tables of a question by the names that its columns may be qualified with.
pub(super) fn tables_by_alias(tokens: &[Placed<'_>]) -> HashMap<String, String> {
    let mut tables = HashMap::new();
    for (at, _) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let opens = is_mark(before, ",") || matches!(word(before).as_deref(), Some("from" | "join"));
        let (true, Some(table)) = (opens, word(tokens.get(at))) else { continue };
        if is_mark(tokens.get(at + 1), ".") || is_mark(tokens.get(at + 1), "(") {
            continue;
        }
        if let Some(alias) = alias_after(tokens, at) {
            tables.insert(alias, table.clone());
        }
        tables.entry(table.clone()).or_insert(table);
    }
    tables
}

/// The alias of the table or subquery that ends at a token.
fn alias_after(tokens: &[Placed<'_>], at: usize) -> Option<String> {
    let next = word(tokens.get(at + 1))?;
    if next == "as" {
        return word(tokens.get(at + 2));
    }
    (!NOT_ALIASES.contains(&next.as_str())).then_some(next)
}

/// Names in lower case of the common tables, subqueries and views that have one row by their form.
pub(super) fn one_row_names(sql: &str, views: &[(String, String)]) -> HashSet<String> {
    let mut single = HashSet::from(["host".to_owned()]);
    for (view, text) in with_views(sql, views) {
        let tokens = tokens(text);
        learn(&tokens, &mut single);
        let select = tokens.iter().position(|token| word(Some(token)).as_deref() == Some("select"));
        let select = select.and_then(|start| tokens.get(start..));
        if let Some(name) = view.filter(|_| select.is_some_and(|select| is_one_row(select, &single))) {
            single.insert(name.to_ascii_lowercase());
        }
        let aliases = tables_by_alias(&tokens).into_iter().filter(|(_, table)| single.contains(table));
        let aliases: Vec<String> = aliases.map(|(alias, _)| alias).collect();
        single.extend(aliases);
    }
    single
}

/// A question and the definitions of the views that it reaches; those that others
/// build on come first, the question last.
fn with_views<'a>(sql: &'a str, views: &'a [(String, String)]) -> Vec<(Option<&'a str>, &'a str)> {
    let mut texts: Vec<(Option<&str>, &str)> = vec![(None, sql)];
    let mut at = 0;
    while let Some((_, text)) = texts.get(at).copied() {
        let named: HashSet<String> = tokens(text).iter().filter_map(|token| word(Some(token))).collect();
        for (name, definition) in views {
            let known = texts.iter().any(|(view, _)| *view == Some(name.as_str()));
            if named.contains(&name.to_ascii_lowercase()) && !known {
                texts.push((Some(name.as_str()), definition));
            }
        }
        at += 1;
    }
    texts.reverse();
    texts
}

/// Adds the names of the parenthesized selects that have one row.
fn learn(tokens: &[Placed<'_>], single: &mut HashSet<String>) {
    for open in 0..tokens.len() {
        let selects =
            is_mark(tokens.get(open), "(") && word(tokens.get(open + 1)).as_deref() == Some("select");
        let Some(close) = closing(tokens, open).filter(|_| selects) else { continue };
        if !tokens.get(open + 1..close).is_some_and(|select| is_one_row(select, single)) {
            continue;
        }
        single.extend(alias_after(tokens, close));
        single.extend(common_table_before(tokens, open));
    }
}

/// The name in `name [(columns)] as [not] [materialized] (`.
fn common_table_before(tokens: &[Placed<'_>], open: usize) -> Option<String> {
    let mut at = open.checked_sub(1)?;
    while matches!(word(tokens.get(at)).as_deref(), Some("materialized" | "not")) {
        at = at.checked_sub(1)?;
    }
    if word(tokens.get(at)).as_deref() != Some("as") {
        return None;
    }
    at = at.checked_sub(1)?;
    if is_mark(tokens.get(at), ")") {
        while !is_mark(tokens.get(at), "(") {
            at = at.checked_sub(1)?;
        }
        at = at.checked_sub(1)?;
    }
    word(tokens.get(at))
}

/// Position of the parenthesis that closes the one at `open`.
fn closing(tokens: &[Placed<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::Mark("(") => depth += 1,
            Token::Mark(")") => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a select (its tokens, from SELECT on) has at most one row by its form.
fn is_one_row(select: &[Placed<'_>], single: &HashSet<String>) -> bool {
    let top = top_level(select);
    let has = |keyword: &str| top.iter().any(|at| word(select.get(*at)).as_deref() == Some(keyword));
    if ["union", "except", "intersect", "values"].iter().any(|keyword| has(keyword)) {
        return false;
    }
    let from = top.iter().copied().find(|at| word(select.get(*at)).as_deref() == Some("from"));
    let Some(from) = from else { return true };
    let limit = top.iter().any(|at| {
        word(select.get(*at)).as_deref() == Some("limit")
            && select.get(at + 1).is_some_and(|token| token.token == Token::Number("1"))
            && !is_mark(select.get(at + 2), ",")
    });
    if limit {
        return true;
    }
    if has("group") {
        return false;
    }
    let head = select.get(..from).unwrap_or(&[]);
    top.iter().any(|at| *at < from && is_aggregate(head, *at))
        || nested_aggregate(head)
        || all_single(select, from, single)
}

/// Positions outside of any parenthesis.
fn top_level(select: &[Placed<'_>]) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut top = Vec::new();
    for (at, token) in select.iter().enumerate() {
        match token.token {
            Token::Mark("(") => depth += 1,
            Token::Mark(")") => depth = depth.saturating_sub(1),
            _ if depth == 0 => top.push(at),
            _ => {}
        }
    }
    top
}

/// An aggregate inside other calls, as in ratio(sum(a), sum(b)), but not in a subquery.
fn nested_aggregate(head: &[Placed<'_>]) -> bool {
    let mut at = 0;
    while at < head.len() {
        let subquery = is_mark(head.get(at), "(") && word(head.get(at + 1)).as_deref() == Some("select");
        if let Some(close) = closing(head, at).filter(|_| subquery) {
            at = close;
        } else if is_aggregate(head, at) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether an aggregate is called at a token, not as a window function.
fn is_aggregate(tokens: &[Placed<'_>], at: usize) -> bool {
    let Some(name) = word(tokens.get(at)).filter(|name| AGGREGATES.contains(&name.as_str())) else {
        return false;
    };
    let Some(close) = closing(tokens, at + 1).filter(|_| is_mark(tokens.get(at + 1), "(")) else {
        return false;
    };
    let after = match word(tokens.get(close + 1)).as_deref() {
        Some("filter") => closing(tokens, close + 2).unwrap_or(close),
        _ => close,
    };
    if word(tokens.get(after + 1)).as_deref() == Some("over") {
        return false;
    }
    let arguments = tokens.get(at + 2..close).unwrap_or(&[]);
    let several = top_level(arguments).iter().any(|at| is_mark(arguments.get(*at), ","));
    !(several && matches!(name.as_str(), "min" | "max"))
}

/// Whether everything in FROM has one row, so that the join has too.
fn all_single(select: &[Placed<'_>], from: usize, single: &HashSet<String>) -> bool {
    let rest = select.get(from..).unwrap_or(&[]);
    let top = top_level(rest);
    let end = top
        .iter()
        .copied()
        .find(|at| matches!(word(rest.get(*at)).as_deref(), Some("where" | "order" | "limit")));
    let items = rest.get(..end.unwrap_or(rest.len())).unwrap_or(&[]);
    let mut single_so_far = false;
    let mut at = 1;
    while at < items.len() {
        let before = items.get(at - 1);
        let opens = is_mark(before, ",") || matches!(word(before).as_deref(), Some("from" | "join"));
        let close = closing(items, at).filter(|_| is_mark(items.get(at), "("));
        if opens {
            let name = close.map_or_else(|| word(items.get(at)), |close| alias_after(items, close));
            if !name.is_some_and(|name| single.contains(&name)) {
                return false;
            }
            single_so_far = true;
        }
        at = close.unwrap_or(at) + 1;
    }
    single_so_far
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_lead_to_tables() {
        let sql = "select x from disk d join Task_Time as t on t.time = d.time, (select 1) s left join cpu where a in (1, 2)";
        let tables = tables_by_alias(&tokens(sql));
        let of = |alias: &str| tables.get(alias).map(String::as_str);
        assert_eq!(of("d"), Some("disk"));
        assert_eq!(of("t"), Some("task_time"));
        assert_eq!(of("cpu"), Some("cpu"));
        assert_eq!(of("where"), None);
    }

    #[test]
    fn one_row_by_form() {
        for (sql, expected) in [
            ("select sum(x) from t", true),
            ("select ratio(sum(a), 2) from t", true),
            ("select max(a, b) from t", false),
            ("select sum(x) from t group by y", false),
            ("select sum(x) over (order by y) from t", false),
            ("select count(*) filter (where x > 1) from t", true),
            ("select count(*) filter (where x > 1) over () from t", false),
            ("select x from t limit 1", true),
            ("select x from t limit 10", false),
            ("select x from t limit 1, 10", false),
            ("select 1", true),
            ("select 1 union select 2", false),
            ("select (select sum(y) from u) from t", false),
            ("select cpus from host", true),
            ("select x from host, t", false),
            ("select x from host cross join (select sum(y) from t) as s", false),
        ] {
            let single = HashSet::from(["host".to_owned()]);
            assert_eq!(is_one_row(&tokens(sql), &single), expected, "{sql}");
        }
    }

    #[test]
    fn names_of_one_row() {
        let views = [("v".to_owned(), "create view v as select sum(x) as x from t".to_owned())];
        let sql = "with a(n) as materialized (select count(*) from t), b as (select x from t) select * from a as aa, b, v vv, (select sum(x) from t) c";
        let names = one_row_names(sql, &views);
        for name in ["a", "aa", "c", "v", "vv", "host"] {
            assert!(names.contains(name), "{name}: {names:?}");
        }
        assert!(!names.contains("b"));
    }

    #[test]
    fn a_view_of_one_row_views_has_one_row() {
        let views = [
            ("span".to_owned(), "create view span as select 1 as x".to_owned()),
            ("active_time".to_owned(), "create view active_time as select max(a, b) from span w cross join (select total(x) filter (where y = 'z') as a from t where k is not 1) as sums".to_owned()),
        ];
        let names = one_row_names("select * from active_time q cross join t", &views);
        for name in ["span", "active_time", "q", "sums", "w"] {
            assert!(names.contains(name), "{name}: {names:?}");
        }
    }
}
