//! What `date` prints in other languages: `Do 3. Mär 12:33:44 CET 2022`, `2022年 03月 03日 星期四 12:33:44 CST`.
//!
//! Words mean different months in different languages (`lip` is June in Croatian and July in Polish). So a date
//! is told only where its day of the week is the one that the line names, and where no other language reads another
//! date of it.

use jiff::civil::Date;

use crate::text::civil::{time_of_day, zone_offset_s};
use crate::text::clock_line::ClockTime;

/// Beginnings of the names of days, from Sunday on, and of months, as the locales of glibc abbreviate them; what has
/// several is divided by bars. By the tags of the languages.
const LANGUAGES: [(&str, &str, &str); 20] = [
    ("cs", "ne po út st čt pá so", "led úno bře dub kvě čen|červn čec|červenc srp zář říj lis pro"),
    ("da", "søn man tir ons tor fre lør", "jan feb mar apr maj jun jul aug sep okt nov dec"),
    ("de", "so mo di mi do fr sa", "jan|jän feb mär apr mai jun jul aug sep okt nov dez"),
    ("es", "dom lun mar mié jue vie sáb", "ene feb mar abr may jun jul ago sep oct nov dic"),
    ("fr", "dim lun mar mer jeu ven sam", "jan fév mar avr mai jun|juin jul|juil aoû sep oct nov déc"),
    ("hr", "ned pon uto sri čet pet sub", "sij vel ožu tra svi lip srp kol ruj lis stu pro"),
    ("hu", "v h k sze cs p szo", "jan febr már ápr máj jún júl aug sze okt nov dec"),
    ("it", "dom lun mar mer gio ven sab", "gen feb mar apr mag giu lug ago set ott nov dic"),
    ("nb", "sø ma ti on to fr lø", "jan feb mar apr mai jun jul aug sep okt nov des"),
    ("nl", "zo ma di wo do vr za", "jan feb mrt apr mei jun jul aug sep okt nov dec"),
    ("nn", "su må ty on to fr la", "jan feb mar apr mai jun jul aug sep okt nov des"),
    (
        "pl",
        "nie|nd pon|pn wto|wt śro|śr czw pią|pt sob|sb",
        "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    ),
    ("pt", "dom seg ter qua qui sex sáb|sab", "jan fev mar abr mai jun jul ago set out nov dez"),
    ("ro", "du lu ma mi jo vi sb|sâ", "ian feb mar apr mai iun iul aug sep oct nov dec"),
    ("ru", "вс пн вт ср чт пт сб", "янв фев мар апр мая|май июн июл авг сен окт ноя дек"),
    ("sk", "ne po ut st št pi so", "jan feb mar apr máj jún júl aug sep okt nov dec"),
    ("sl", "ned pon tor sre čet pet sob", "jan feb mar apr maj jun jul avg sep okt nov dec"),
    ("sv", "sön mån tis ons tor fre lör", "jan feb mar apr maj jun jul aug sep okt nov dec"),
    ("tr", "paz pzt sal çrş|çar prş|per cum cts|cmt", "oca şub mar nis may haz tem ağu eyl eki kas ara"),
    ("uk", "нд|нед пн|пон вт|вів ср|сер чт|чет пт сб|суб", "січ лют бер кві тра чер лип сер вер жов лис гру"),
];
/// Signs of the days from Sunday on: Japanese, Chinese, Korean.
const DAY_SIGNS: [&str; 3] = ["日月火水木金土", "日一二三四五六", "일월화수목금토"];
/// What the Chinese sign of a day stands behind.
const WEEKS: [&str; 4] = ["星期", "周", "週", "禮拜"];
/// `CST` where the words are Chinese.
const CHINA_S: i64 = 8 * 3600;

/// The time that a line is.
pub fn parse(words: &[&str]) -> Option<ClockTime> {
    if !(3..=8).contains(&words.len()) {
        return None;
    }
    let words: Vec<&str> = words.iter().map(|word| word.trim_matches(['.', ',', '(', ')'])).collect();
    let is_time = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains(':');
    let at = words.iter().position(is_time)?;
    let time = time_of_day(&words[at..])?;
    let mut rest = [&words[..at], &words[at + time.words..]].concat();
    let mut zone = None;
    rest.retain(|word| {
        let is_name = word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_zone = zone.is_none() && (is_name || zone_offset_s(word).is_some());
        if is_zone {
            zone = Some(*word);
        }
        !is_zone
    });
    let time_of = |day, zone_s| ClockTime { day, seconds: time.seconds, zone_s };
    if let Some(day) = in_signs(&rest) {
        let zone_s = zone.and_then(|zone| if zone == "CST" { Some(CHINA_S) } else { zone_offset_s(zone) });
        return Some(time_of(day, zone_s));
    }
    Some(time_of(in_words(&rest)?, zone.and_then(zone_offset_s)))
}

/// A day, a month, a year of four digits and the name of the day, in any order.
fn in_words(words: &[&str]) -> Option<Date> {
    let (mut year, mut day, mut names) = (None, None, Vec::new());
    for word in words {
        match word.parse::<i16>() {
            Ok(number) if word.len() == 4 && year.is_none() => year = Some(number),
            Ok(number) if word.len() <= 2 && day.is_none() => day = i8::try_from(number).ok(),
            Ok(_) => return None,
            Err(_) => names.push(word.to_lowercase()),
        }
    }
    let ([first, second], year, day) = (&names[..], year?, day?) else { return None };
    let mut found = None;
    for (_, days, months) in LANGUAGES {
        for (name, month) in [(first, second), (second, first)] {
            let (Some(of_week), Some(month)) = (place(days, name), place(months, month)) else { continue };
            let Some(date) = date(year, month + 1, day).filter(|date| is_on(*date, of_week)) else {
                continue;
            };
            if found.is_some_and(|found| found != date) {
                return None;
            }
            found = Some(date);
        }
    }
    found
}

/// `2022年 03月 03日 木曜日`, `2022. 03. 03. (목)`.
fn in_signs(words: &[&str]) -> Option<Date> {
    let all = words.join(" ");
    let numbers: Vec<&str> =
        all.split(|sign: char| !sign.is_ascii_digit()).filter(|word| !word.is_empty()).collect();
    let [year, month, day] = numbers[..] else { return None };
    let date = date(year.parse().ok().filter(|_| year.len() == 4)?, month.parse().ok()?, day.parse().ok()?)?;
    let rest = all.rsplit(|sign: char| sign.is_ascii_digit()).next()?;
    let name = rest.strip_prefix(['日', '일']).unwrap_or(rest).trim();
    let sign = match WEEKS.iter().find_map(|week| name.strip_prefix(week)) {
        Some(sign) => sign.chars().next(),
        None => name.chars().next(),
    }?;
    let is_so =
        |signs: &&str| signs.chars().position(|there| there == sign).is_some_and(|at| is_on(date, at));
    DAY_SIGNS.iter().any(is_so).then_some(date)
}

fn date(year: i16, month: usize, day: i8) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, day).ok()
}

/// Whether it is that day of the week, Sunday being 0.
fn is_on(date: Date, of_week: usize) -> bool {
    usize::try_from(date.weekday().to_sunday_zero_offset()) == Ok(of_week)
}

/// Which of the names a word begins like.
fn place(names: &str, word: &str) -> Option<usize> {
    names.split(' ').position(|name| name.split('|').any(|start| word.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_the_locales_print_them() {
        let third = Date::constant(2022, 3, 3);
        for (line, expect) in [
            ("Do 3. Mär 12:33:44 CET 2022", Some((third, Some(3600)))),
            ("Do 03 Mär 2022 12:33:44 CET", Some((third, Some(3600)))),
            ("jeu. 03 mars 2022 12:33:44 CET", Some((third, Some(3600)))),
            ("jue 03 mar 2022 12:33:44 CET", Some((third, Some(3600)))),
            ("gio 3 mar 2022, 12:33:44, CET", Some((third, Some(3600)))),
            ("qui 03 mar 2022 12:33:44 -03", Some((third, Some(-10_800)))),
            ("do  3 mrt 2022 12:33:44 CET", Some((third, Some(3600)))),
            ("czw, 3 mar 2022, 12:33:44 CET", Some((third, Some(3600)))),
            ("Čt 3. března 2022, 12:33:44 CET", Some((third, Some(3600)))),
            ("Чт 03 мар 2022 12:33:44 MSK", Some((third, zone_offset_s("MSK")))),
            ("tor  3 mar 2022 12:33:44 CET", Some((third, Some(3600)))),
            ("to. 03. mars 12:33:44 +0100 2022", Some((third, Some(3600)))),
            ("2022. márc. 3., csütörtök, 12:33:44 CET", Some((third, Some(3600)))),
            ("Prş 03 Mar 2022 12:33:44 +03", Some((third, Some(10_800)))),
            ("2022年  3月  3日 木曜日 12:33:44 JST", Some((third, zone_offset_s("JST")))),
            ("2022年 03月 03日 星期四 12:33:44 CST", Some((third, Some(CHINA_S)))),
            ("2022. 03. 03. (목) 12:33:44 KST", Some((third, zone_offset_s("KST")))),
            ("2022년 03월 03일 목요일 12:33:44 KST", Some((third, zone_offset_s("KST")))),
            // June in Croatian, July in Polish: the day of the week tells.
            ("pon 05 lip 2021 12:33:44 CEST", Some((Date::constant(2021, 7, 5), Some(7200)))),
            ("pon 07 lip 2021 12:33:44 CEST", Some((Date::constant(2021, 6, 7), Some(7200)))),
            // No Thursday, and no day at all.
            ("Do 4. Mär 12:33:44 CET 2022", None),
            ("2022年 03月 04日 星期四 12:33:44 CST", None),
            ("Mär 3. 12:33:44 CET 2022", None),
            ("seit Do 3. Mär 12:33:44 CET 2022", None),
            ("Do 3. Mär 2022", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            let told = parse(&words);
            assert_eq!(told.map(|told| (told.day, told.zone_s)), expect, "{line}");
            assert!(told.is_none_or(|told| told.seconds == 12 * 3600 + 33 * 60 + 44), "{line}");
        }
    }

    #[test]
    fn every_language_has_all_names() {
        for (language, days, months) in LANGUAGES {
            assert_eq!((days.split(' ').count(), months.split(' ').count()), (7, 12), "{language}");
            for (at, name) in months.split(' ').enumerate() {
                for start in name.split('|') {
                    assert_eq!(place(months, start), Some(at), "{language} {start}");
                }
            }
        }
    }
}
