// SPDX-License-Identifier: Apache-2.0
// Names are compared with a dozen measures of likeness.
fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("the name of person number {} from town {}", i * 7919 % 1009, i * 31 % 97)).collect()
}

fn main() {
    let all = names(180);
    let mut sum = 0.0;
    for a in &all {
        for b in &all {
            sum += strsim::jaro(a, b) + strsim::jaro_winkler(a, b) + strsim::normalized_levenshtein(a, b);
            sum += strsim::levenshtein(a, b) as f64 + strsim::osa_distance(a, b) as f64;
            sum += strsim::damerau_levenshtein(a, b) as f64 + strsim::sorensen_dice(a, b);
            sum += strsim::hamming(a, b).unwrap_or(0) as f64;
        }
    }
    println!("{sum:.1}");
}
