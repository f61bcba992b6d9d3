// SPDX-License-Identifier: Apache-2.0
// Truth: the 60/30/10 split of split.c in Rust: six of ten pieces of work are of split::sixty, three of split::thirty, one of
// split::ten. The loops are the same, so their iterations are the truth.
//
//   split_rs SECONDS
use std::io::Write;
use std::time::{Duration, Instant};

// A value that the compiler cannot know. std::hint has one only since 1.66; Debian 12 has 1.63.
#[inline(always)]
fn black_box(x: u64) -> u64 {
    unsafe { std::ptr::read_volatile(&x) }
}

#[inline(always)]
fn spin(iterations: u64, mut x: u64) -> u64 {
    for _ in 0..iterations {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x = black_box(x);
    }
    x
}

#[inline(never)]
fn sixty(n: u64) -> u64 {
    spin(n, 60)
}

#[inline(never)]
fn thirty(n: u64) -> u64 {
    spin(n, 30)
}

#[inline(never)]
fn ten(n: u64) -> u64 {
    spin(n, 10)
}

fn roll(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) % below
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(2.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let (mut dice, mut units, mut pieces) = (42u64, [0u64; 3], 0u64);
    while Instant::now() < end {
        let which = roll(&mut dice, 10);
        let n = 10000 + roll(&mut dice, 20000);
        let (index, function): (usize, fn(u64) -> u64) = match which {
            0..=5 => (0, sixty),
            6..=8 => (1, thirty),
            _ => (2, ten),
        };
        black_box(function(n));
        units[index] += n;
        pieces += 1;
    }
    let truth = format!(
        "{{\"work\": {}, \"units\": {{\"split::sixty\": {}, \"split::thirty\": {}, \"split::ten\": {}}}}}\n",
        pieces, units[0], units[1], units[2]
    );
    match std::env::var("WORKLOAD_TRUTH") {
        Ok(path) => std::fs::write(path, truth).expect("truth"),
        Err(_) => std::io::stdout().write_all(truth.as_bytes()).expect("truth"),
    }
}
