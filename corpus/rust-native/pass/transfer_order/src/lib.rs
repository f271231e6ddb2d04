//! Transfers lock the account of the smaller number first, whatever their direction.

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
    let (first, second) = if from.number < to.number { (from, to) } else { (to, from) };
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
