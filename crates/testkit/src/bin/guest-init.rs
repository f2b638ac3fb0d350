//! The first process in a guest of the tests; see `heldup_testkit::guest`. No part of the
//! product.

fn main() -> anyhow::Result<()> {
    heldup_testkit::guest::init::main()
}
