// What needs the lock held is given the value and does not lock again.
// origin: folklore
// verdict: verified, 32 executions
// preemptions: 2, 12 executions
// delays rr: 2, 12 executions
// delays dfs: 2, 12 executions
// twin: fail/reentrant_lock.rs

struct Account {
    balance: Mutex<i64>,
}

impl Account {
    async fn withdraw(&self, amount: i64) -> bool {
        let mut balance = self.balance.lock().await;
        if *balance < amount {
            return false;
        }
        *balance -= amount;
        true
    }
}

pub fn reentrant_lock() {
    let account = Arc::new(Account { balance: Mutex::new(10) });
    let other = {
        let account = Arc::clone(&account);
        spawn(async move { account.withdraw(10).await })
    };
    let mine = block_on(account.withdraw(5));
    assert!(mine != block_on(other).unwrap());
}
