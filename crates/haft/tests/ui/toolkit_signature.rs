//! What can be no toolkit, and methods that can be no tools of one.

struct Bank(u8);

#[haft::toolkit(nam = "bank", snake_case = 3, name = "", crate = "haft", crate = "haft")]
impl Bank {
    /// Takes it away.
    #[tool]
    fn consume(self) {}

    /// Changes it.
    #[tool]
    async fn change(&mut self, amount: u64) {}

    /// Takes it boxed.
    #[tool]
    fn boxed(self: Box<Self>) {}

    #[tool(destructiv)]
    fn undescribed(&self, (a, b): (u8, u8)) {}

    /// Names what is named once.
    #[tool(toolkit = "other", crate = "haft")]
    fn elsewhere(&self) {}

    /// Has options of no kind.
    fn helper(&self) {}
}

struct Named;

#[haft::toolkit(snake_case)]
impl Named {
    /// Is one.
    #[tool(name = "one")]
    fn first(&self) {}

    /// Is another.
    #[tool]
    fn one(&self) {}

    /// Is not in lower snake case.
    #[tool(name = "fetchAll")]
    fn fetch_all(&self) {}

    /// Is no name at all.
    #[tool(name = "fetch all")]
    fn all(&self) {}
}

struct Empty;

#[haft::toolkit]
impl Empty {
    fn helper(&self) {}
}

#[haft::toolkit]
impl Clone for Empty {
    fn clone(&self) -> Self {
        Self
    }
}

#[haft::toolkit]
struct Structure;

fn main() {
    // `toolkit` is there all the same.
    let _ = (Bank::toolkit(Bank(1)), Named::toolkit(Named), Empty::toolkit());
}
