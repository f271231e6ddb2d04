//! A letter is put together from what two writers send over one channel, as if what was started first also
//! arrived first.

use std::sync::mpsc::Receiver;

pub enum Part {
    Title(&'static str),
    Body(&'static str),
}

pub fn assemble(parts: Receiver<Part>) -> String {
    let (mut title, mut body) = ("", "");
    for part in parts {
        match part {
            Part::Title(text) => title = text,
            Part::Body(_) if title.is_empty() => panic!("a body without a title"),
            Part::Body(text) => body = text,
        }
    }
    format!("{title}: {body}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn from_two_writers() {
        let (title, parts) = channel();
        let body = title.clone();
        thread::scope(|s| {
            s.spawn(move || title.send(Part::Title("News")));
            s.spawn(move || body.send(Part::Body("none")));
            assert_eq!(assemble(parts), "News: none");
        });
    }
}
