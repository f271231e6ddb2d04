//! Transfers lock the account they take from and then the other one, so that two in opposite directions may
//! each hold what the other waits for.

use std::sync::Mutex;

pub struct Account {
    pub number: u32,
    pub balance: Mutex<i64>,
}

impl Account {
    pub fn new(number: u32, balance: i64) -> Self {
        Account { number, balance: Mutex::new(balance) }
    }
}

pub fn transfer(from: &Account, to: &Account, amount: i64) {
    let (first, second) = (from, to);
    let mut first_balance = first.balance.lock().unwrap();
    let mut second_balance = second.balance.lock().unwrap();
    let out = if first.number == from.number { -amount } else { amount };
    *first_balance += out;
    *second_balance -= out;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn there_and_back() {
        let (a, b) = (Account::new(1, 100), Account::new(2, 100));
        thread::scope(|s| {
            s.spawn(|| transfer(&a, &b, 30));
            transfer(&b, &a, 10);
        });
        assert_eq!((*a.balance.lock().unwrap(), *b.balance.lock().unwrap()), (80, 120));
    }
}
