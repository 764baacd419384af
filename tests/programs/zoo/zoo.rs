//! Inlined functions, and a closure that the standard library calls: two thirds and one third of the time. What is
//! true is in its output (zoo.h).
use std::hint::black_box;

const ROUNDS: u64 = 200_000;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

#[inline(never)]
fn cpu_ns() -> u64 {
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(3, &mut t) };
    t.seconds as u64 * 1_000_000_000 + t.nanoseconds as u64
}

#[inline(always)]
fn level3(n: u64) -> u64 {
    let (mut x, mut i) = (n, 0);
    while i < n {
        x = black_box(x ^ (x << 3) ^ i);
        i += 1;
    }
    x
}
const LEVEL3: (u32, u32) = (line!() - 8, line!() - 1);

#[inline(always)]
fn level2(n: u64) -> u64 {
    level3(n) ^ 1
}
const LEVEL2: u32 = line!() - 2;

#[inline(always)]
fn level1(n: u64) -> u64 {
    level2(n) ^ 2
}
const LEVEL1: u32 = line!() - 2;

#[inline(never)]
fn host(n: u64) -> u64 {
    black_box(level1(n)) ^ 3
}
const HOST: u32 = line!() - 2;

#[inline(never)]
fn compare(a: u64) -> std::cmp::Ordering {
    let (mut x, mut i) = (a, 0);
    while i < ROUNDS {
        x = black_box(x ^ (x << 3) ^ i);
        i += 1;
    }
    black_box(x).cmp(&a)
}

#[inline(never)]
fn sorted() {
    let mut values = [1u64, 2];
    values.sort_by(|a, _| compare(*a));
    black_box(&values);
}

fn turn(spent: &mut u64, f: fn()) {
    let start = cpu_ns();
    let mut now = start;
    while now < start + 1_000_000 {
        f();
        now = cpu_ns();
    }
    *spent += now - start;
}

fn main() {
    let ms: u64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(400);
    let end = cpu_ns() + ms * 1_000_000;
    let (mut hosted, mut sorting) = (0, 0);
    while cpu_ns() < end {
        turn(&mut hosted, || { black_box(host(ROUNDS)); });
        turn(&mut sorting, sorted);
        turn(&mut hosted, || { black_box(host(ROUNDS)); });
    }
    println!("part {hosted} zoo::main;...;zoo::host|zoo::level1;zoo::level2;zoo::level3");
    println!("part {sorting} zoo::main;...;zoo::sorted;...;zoo::compare");
    println!("line zoo::level3 {} {}", LEVEL3.0, LEVEL3.1);
    println!("line zoo::level2 {LEVEL2} {LEVEL2}");
    println!("line zoo::level1 {LEVEL1} {LEVEL1}");
    println!("line zoo::host {HOST} {HOST}");
}
