//! Who is refused, and that he learns nothing.

use crate::served::shared;

/// Every question that there is.
const QUESTIONS: [&str; 20] = [
    "/api/state",
    "/api/view",
    "/api/who",
    "/api/life",
    "/api/now",
    "/api/marks",
    "/api/record",
    "/api/time",
    "/api/live",
    "/api/figures",
    "/api/breakdown",
    "/api/breakdown-difference",
    "/api/compare",
    "/api/experiments",
    "/api/experiment",
    "/api/tables",
    "/api/sql",
    "/api/report",
    "/api/figure",
    "/api/nothing",
];

#[test]
fn without_the_token_every_question_is_answered_alike() {
    let served = shared();
    for path in QUESTIONS {
        for method in ["GET", "POST", "HEAD"] {
            let answer = served.with(method, path, &[&served.host()], "");
            assert_eq!(answer.status, 401, "{method} {path}");
            assert_eq!(answer.header("connection"), Some("close"), "{path}");
            assert_eq!(answer.header("www-authenticate"), Some("bearer"), "{path}");
            if method != "HEAD" {
                assert_eq!(answer.json()["error"], "the token is missing or wrong", "{path}");
            }
        }
    }
}

#[test]
fn no_answer_has_the_token() {
    let served = shared();
    for path in ["/", "/app.js", "/app.css", "/who", "/nothing", "/api/state", "/api/record"] {
        let answer = served.get(path);
        let all = format!("{}{}", answer.head, answer.text());
        assert!(!all.contains(&served.token) && !all.contains(&served.token.to_lowercase()), "{path}");
    }
}

#[test]
fn another_name_and_another_site_are_refused_with_the_token() {
    let served = shared();
    let (host, bearer) = (served.host(), served.bearer());
    let own = format!("Origin: http://127.0.0.1:{}", served.port);
    let refused: [&[&str]; 9] = [
        &[&bearer],
        &["Host: evil.example", &bearer],
        &["Host: 127.0.0.1.evil.example", &bearer],
        &[&host, &host, &bearer],
        &[&host, &bearer, "Origin: http://evil.example"],
        &[&host, &bearer, "Origin: null"],
        &["Host: localhost", &bearer, &own],
        &[&host, &bearer, "Sec-Fetch-Site: cross-site"],
        &[&host, &bearer, "Sec-Fetch-Site: same-site"],
    ];
    for headers in refused {
        let answer = served.with("GET", "/api/state", headers, "");
        assert!(answer.status == 403 || answer.status == 400, "{headers:?}: {}", answer.status);
        assert!(!answer.text().contains("figures"), "{headers:?}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    for port in ["", ":1", ":8017"] {
        for name in ["localhost", "127.0.0.1", "[::1]"] {
            let host = format!("Host: {name}{port}");
            let origin = format!("Origin: http://{name}{port}");
            let headers = [host.as_str(), &bearer, &origin, "Sec-Fetch-Site: same-origin"];
            assert_eq!(served.with("GET", "/api/time?words=now", &headers, "").status, 200, "{host}");
        }
    }
}

#[test]
fn every_answer_has_the_headers() {
    let served = shared();
    let answers = [
        served.get("/"),
        served.get("/app.js"),
        served.get("/nothing"),
        served.get("/api/state"),
        served.get("/api/nothing"),
        served.get("/api/view?since_ms=x"),
        served.with("GET", "/api/state", &[&served.host()], ""),
        served.with("PUT", "/", &[&served.host()], ""),
        served.with("GET", "/", &["Host: evil.example"], ""),
    ];
    for answer in &answers {
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"));
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("require-trusted-types-for"));
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{}", answer.head);
        }
    }
    assert_eq!(served.get("/api/state").header("cache-control"), Some("no-store"));
}

#[test]
fn nothing_is_sent_to_what_only_answers() {
    let served = shared();
    for (method, path) in [
        ("POST", "/api/state"),
        ("POST", "/"),
        ("POST", "/app.js"),
        ("POST", "/api/view"),
        ("GET", "/api/sql"),
        ("GET", "/api/figures"),
        ("PUT", "/api/state"),
        ("DELETE", "/api/state"),
        ("OPTIONS", "/api/state"),
        ("PATCH", "/"),
    ] {
        let answer = served.with(method, path, &[&served.host(), &served.bearer()], "");
        assert_eq!(answer.status, 405, "{method} {path}");
    }
}

#[test]
fn no_path_leads_out_of_the_page() {
    let served = shared();
    for path in [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/app.js/../../Cargo.toml",
        "/app.js%00",
        "//etc/passwd",
        "/static/app.js",
        "/.git/config",
        "/api/../app.js",
    ] {
        let answer = served.get(path);
        assert!(answer.status == 404 || answer.status == 400, "{path}: {}", answer.status);
        assert!(!answer.text().contains("root:"), "{path}");
    }
    for view in ["/", "/finding/disk.slow%2Fdevice:sda?since=1", "/who/1@2", "/on/disk", "/sql", "/record"] {
        let answer = served.get(view);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")));
        assert!(answer.text().contains("id=\"app\""), "{view}");
    }
}
