//! The JSON of reports: one flat object. Anything else that RFC 8259 would not have is an error.

use std::collections::BTreeMap;

/// A value in the object.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Number(f64),
    Text(String),
}

/// The object.
#[derive(Clone, Debug, PartialEq)]
pub struct Json(BTreeMap<String, Value>);

/// The fields that every report has, in order.
pub const FIELDS: [&str; 11] = [
    "verdict",
    "kind",
    "bound",
    "executions",
    "classes",
    "states",
    "steps",
    "seconds",
    "schedule",
    "location",
    "message",
];

impl Json {
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut rest = text;
        let mut fields = BTreeMap::new();
        let mut names = Vec::new();
        expect(&mut rest, "{")?;
        loop {
            let name = string(&mut rest)?;
            expect(&mut rest, ":")?;
            let value = value(&mut rest)?;
            names.push(name.clone());
            if fields.insert(name, value).is_some() {
                return Err("a field comes twice".to_owned());
            }
            if expect(&mut rest, ",").is_err() {
                break;
            }
        }
        expect(&mut rest, "}")?;
        if !rest.is_empty() {
            return Err(format!("something follows: {rest}"));
        }
        if names != FIELDS {
            return Err(format!("other fields: {names:?}"));
        }
        Ok(Json(fields))
    }

    fn get(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or_else(|| panic!("no field {name}"))
    }

    /// A text, or nothing if it is null.
    #[track_caller]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Value::Null => None,
            Value::Text(text) => Some(text),
            Value::Number(number) => panic!("{name} is a number: {number}"),
        }
    }

    /// A number, or nothing if it is null.
    #[track_caller]
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Value::Null => None,
            Value::Number(number) if number.fract() == 0.0 && *number >= 0.0 => Some(*number as u64),
            other => panic!("{name} is no whole number: {other:?}"),
        }
    }

    /// The seconds that it took.
    pub fn seconds(&self) -> f64 {
        match self.get("seconds") {
            Value::Number(seconds) => *seconds,
            other => panic!("no seconds: {other:?}"),
        }
    }

    pub fn verdict(&self) -> &str {
        self.text("verdict").expect("there is always a verdict")
    }
}

fn expect(rest: &mut &str, part: &str) -> Result<(), String> {
    *rest = rest.strip_prefix(part).ok_or_else(|| format!("expected {part} before {rest}"))?;
    Ok(())
}

fn value(rest: &mut &str) -> Result<Value, String> {
    if rest.starts_with('"') {
        return string(rest).map(Value::Text);
    }
    if expect(rest, "null").is_ok() {
        return Ok(Value::Null);
    }
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(|c: char| c.is_ascii_digit())
        && (number == "0" || !number.starts_with('0') || number.starts_with("0."));
    *rest = after;
    match number.parse() {
        Ok(value) if is_number => Ok(Value::Number(value)),
        _ => Err(format!("expected a value before {number}{after}")),
    }
}

fn string(rest: &mut &str) -> Result<String, String> {
    expect(rest, "\"")?;
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => {
                *rest = &rest[index + 1..];
                return Ok(text);
            }
            '\\' => match chars.next().map(|(_, c)| c) {
                Some(c @ ('"' | '\\' | '/')) => text.push(c),
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    let code = u32::from_str_radix(&digits, 16).map_err(|_| format!("\\u{digits}"))?;
                    text.push(char::from_u32(code).ok_or(format!("\\u{digits}"))?);
                }
                other => return Err(format!("escape of {other:?}")),
            },
            c if c < ' ' => return Err(format!("a bare {c:?} in a text")),
            c => text.push(c),
        }
    }
    Err("a text has no end".to_owned())
}

#[test]
fn objects_are_read_and_anything_else_is_refused() {
    let fields = FIELDS.map(|name| format!("\"{name}\":null")).join(",");
    let with = |value: &str| format!("{{{}}}", fields.replacen("null", value, 1));
    let read = Json::parse(&with(r#""a\"\\\u001b\n""#)).expect("it is one");
    assert_eq!(read.text("verdict"), Some("a\"\\\u{1b}\n"));
    assert_eq!(Json::parse(&with("12")).expect("it is one").number("verdict"), Some(12));
    for wrong in ["", "01", "1.", "\"a", "\"\t\"", "\"\\x\"", "nul", "{}"] {
        assert!(Json::parse(&with(wrong)).is_err(), "{wrong}");
    }
    assert!(Json::parse(&format!("{} ", with("null"))).is_err(), "something follows");
    assert!(Json::parse("{\"verdict\":null}").is_err(), "fields are missing");
}
