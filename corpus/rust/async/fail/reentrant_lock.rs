// Re-entrant async lock. A method holds the lock across an await on another method that takes it
// too.
// origin: folklore
// verdict: bug deadlock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/reentrant_lock.rs

struct Account {
    balance: Mutex<i64>,
}

impl Account {
    async fn balance(&self) -> i64 {
        *self.balance.lock().await
    }

    async fn withdraw(&self, amount: i64) -> bool {
        let mut balance = self.balance.lock().await;
        if self.balance().await < amount {
            return false;
        }
        *balance -= amount;
        true
    }
}

pub fn reentrant_lock() {
    let account = Account { balance: Mutex::new(10) };
    assert!(block_on(account.withdraw(5)));
}
