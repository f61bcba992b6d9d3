// SPDX-License-Identifier: Apache-2.0
// Orders are priced by rules, and the table of rules is copied for each of them.
use std::collections::HashMap;

#[derive(Clone)]
struct Rules {
    discounts: HashMap<String, f64>,
    names: Vec<String>,
}

fn price(rules: &Rules, kind: &str, amount: f64, fixed: bool) -> f64 {
    if fixed {
        return amount * (1.0 - rules.discounts.get(kind).copied().unwrap_or(0.0));
    }
    let mut own = rules.clone();
    own.names.push(kind.to_string());
    amount * (1.0 - own.discounts.remove(kind).unwrap_or(0.0))
}

fn receipt(number: usize, amount: f64) -> String {
    let mut text = String::new();
    for line in 0..40 {
        text += &format!("{number:>6} {line:>3} {amount:>10.2}\n");
    }
    text
}

fn main() {
    let fixed = std::env::args().nth(1).as_deref() == Some("fixed");
    let names: Vec<String> = (0..300).map(|i| format!("kind {i}")).collect();
    let rules = Rules { discounts: names.iter().enumerate().map(|(i, name)| (name.clone(), i as f64 / 1000.0)).collect(), names };
    let (mut sum, mut length) = (0.0, 0);
    for number in 0..50_000 {
        sum += price(&rules, &rules.names[number % 300], number as f64, fixed);
        length += receipt(number, sum).len();
    }
    println!("{sum:.2} {length}");
}
