//! The balance is read and written under one lock, which is held while the fee is awaited (tokio).

use tokio::sync::Mutex;

pub struct Account {
    balance: Mutex<u32>,
}

async fn fee(amount: u32) -> u32 {
    amount / 10
}

impl Account {
    pub fn new(balance: u32) -> Self {
        Account { balance: Mutex::new(balance) }
    }

    pub async fn withdraw(&self, amount: u32) {
        let mut balance = self.balance.lock().await;
        let rest = *balance - amount - fee(amount).await;
        *balance = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollster::block_on;
    use std::thread;

    #[test]
    fn two_withdraw() {
        let account = Account::new(100);
        thread::scope(|s| {
            s.spawn(|| block_on(account.withdraw(20)));
            block_on(account.withdraw(30));
        });
        assert_eq!(account.balance.into_inner(), 45);
    }
}
