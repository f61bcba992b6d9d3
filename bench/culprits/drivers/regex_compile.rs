// SPDX-License-Identifier: Apache-2.0
// Patterns are compiled and used on a log; one of them repeats nothing very often.
use regex::{Regex, RegexSet};

fn main() {
    let log: String = (0..60_000).map(|i| format!("2024-01-02 host{} GET /item/{i}?a=b 200 {} ms\n", i % 9, i % 313)).collect();
    let mut sum = 0;
    for pattern in [r"(\d+) ms", r"host[0-4]", r"GET /item/(\d+)", r"(?i)get .*200", r"^2024", r"\b20\d\b", r"[aeiou]{2}", r"a=b (?P<s>\d+)"] {
        let compiled = Regex::new(pattern).unwrap();
        sum += compiled.find_iter(&log).count() + compiled.replace_all(&log[..200_000], "x").len();
    }
    sum += RegexSet::new([r"host1", r"item/77", r" 3 ms"]).unwrap().matches(&log).iter().count();
    sum += Regex::new(r"\s+").unwrap().split(&log).count();
    println!("{sum} {}", Regex::new(r"(?:(?:){9000}){9000}").is_ok());
}
