// Inlined functions, closures and methods in Rust.
struct Counter {
    n: u64,
}

impl Counter {
    #[inline(always)]
    fn step(&mut self, by: u64) -> u64 {
        self.n = self.n.wrapping_mul(3).wrapping_add(by);
        self.n
    }
}

#[inline(always)]
fn twice<F: FnMut(u64) -> u64>(mut f: F) -> u64 {
    f(1).wrapping_add(f(2))
}

#[inline(never)]
fn work(n: u64) -> u64 {
    let mut c = Counter { n };
    let mut sum = 0u64;
    for i in 0..n {
        sum = sum.wrapping_add(twice(|x| c.step(x ^ i)));
    }
    sum
}

fn main() {
    let n = std::env::args().count() as u64;
    std::process::exit((work(n) % 3) as i32);
}
