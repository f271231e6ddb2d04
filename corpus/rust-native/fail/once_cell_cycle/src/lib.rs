//! The host is made from the port and the port from the host, each with a default of its own for the other:
//! two that begin at both ends wait for each other (once_cell).

use once_cell::sync::OnceCell;

#[derive(Default)]
pub struct Address {
    host: OnceCell<String>,
    port: OnceCell<u16>,
}

impl Address {
    pub fn host(&self) -> &str {
        self.host.get_or_init(|| match self.port.get_or_init(|| 80) {
            80 => "www".to_string(),
            port => format!("test-{port}"),
        })
    }

    pub fn port(&self) -> u16 {
        *self.port.get_or_init(|| match self.host.get_or_init(|| "www".to_string()).as_str() {
            "www" => 80,
            _ => 8080,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn host_and_port() {
        let address = Address::default();
        thread::scope(|s| {
            s.spawn(|| assert_eq!(address.port(), 80));
            assert_eq!(address.host(), "www");
        });
    }
}
