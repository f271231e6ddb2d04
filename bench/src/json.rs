//! Just enough JSON to print figures: values that can be written, no reading.

use std::fmt::{self, Write};

use crate::figures::{Claim, Figures, Wanted};

#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// In the order given.
    Object(Vec<(&'static str, Json)>),
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Json {
        Json::Number(value)
    }
}

impl From<u64> for Json {
    /// Counts here are far below 2^53, up to which a double is exact.
    fn from(value: u64) -> Json {
        Json::Number(value as f64)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Json {
        Json::Text(value.to_owned())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Json {
        Json::List(values.into_iter().map(Into::into).collect())
    }
}

impl From<&Figures> for Json {
    fn from(figures: &Figures) -> Json {
        Json::Object(vec![
            ("median", figures.median().into()),
            ("lowest", figures.lowest().into()),
            ("highest", figures.highest().into()),
        ])
    }
}

impl From<&Claim> for Json {
    fn from(claim: &Claim) -> Json {
        let wanted = match claim.wanted {
            Wanted::AtLeast => "at least",
            Wanted::AtMost => "at most",
        };
        Json::Object(vec![
            ("what", claim.what.as_str().into()),
            ("measured", (&claim.measured).into()),
            ("wanted", wanted.into()),
            ("floor", claim.floor.into()),
            ("goal", claim.goal.into()),
            ("met", claim.met().into()),
            ("goal_met", claim.goal_met().into()),
        ])
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            c if c < ' ' => write!(f, "\\u{:04x}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            // JSON has no infinity and no NaN.
            Json::Number(value) if !value.is_finite() => f.write_str("null"),
            Json::Number(value) => write!(f, "{value}"),
            Json::Text(text) => write_text(f, text),
            Json::List(values) => {
                f.write_char('[')?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if at > 0 { ", " } else { "" })?;
                }
                f.write_char(']')
            }
            Json::Object(fields) => {
                f.write_char('{')?;
                for (at, (name, value)) in fields.iter().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    write_text(f, name)?;
                    write!(f, ": {value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What is left of a text after one JSON value, or `None` if it does not start with one.
    fn value(text: &str) -> Option<&str> {
        let text = text.trim_start();
        let rest = match text.chars().next()? {
            '{' => {
                return items(&text[1..], '}', |text| {
                    value(string(text.trim_start())?.trim_start().strip_prefix(':')?)
                });
            }
            '[' => return items(&text[1..], ']', value),
            '"' => string(text)?,
            _ => {
                let end = text.find([',', ']', '}', ' ', '\n']).unwrap_or(text.len());
                let word = &text[..end];
                let number =
                    word.parse::<f64>().is_ok() && word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
                (number || ["null", "true", "false"].contains(&word)).then_some(&text[end..])?
            }
        };
        Some(rest)
    }

    fn items<'t>(text: &'t str, end: char, item: impl Fn(&'t str) -> Option<&'t str>) -> Option<&'t str> {
        let mut rest = text.trim_start();
        if let Some(rest) = rest.strip_prefix(end) {
            return Some(rest);
        }
        loop {
            rest = item(rest)?.trim_start();
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => return rest.strip_prefix(end),
            }
        }
    }

    fn string(text: &str) -> Option<&str> {
        let mut chars = text.strip_prefix('"')?.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => return Some(&text[at + 2..]),
                '\\' => {
                    let (_, escaped) = chars.next()?;
                    if escaped == 'u' {
                        for _ in 0..4 {
                            chars.next().filter(|(_, digit)| digit.is_ascii_hexdigit())?;
                        }
                    } else if !"\"\\/bfnrt".contains(escaped) {
                        return None;
                    }
                }
                c if c < ' ' => return None,
                _ => {}
            }
        }
        None
    }

    pub fn well_formed(text: &str) -> bool {
        value(text).is_some_and(|rest| rest.trim().is_empty())
    }

    #[test]
    fn the_judge_of_these_tests_knows_json() {
        for good in ["{}", "[]", "[1, -2.5e3, null]", "{\"a\": {\"b\": [true, \"x\\n\\u0041\"]}}", " \"\" "] {
            assert!(well_formed(good), "{good}");
        }
        for bad in
            ["", "{", "[1,]", "{\"a\" 1}", "{a: 1}", "nul", "inf", "\"\n\"", "\"\\x\"", "{} {}", "[1 2]"]
        {
            assert!(!well_formed(bad), "{bad}");
        }
    }

    #[test]
    fn what_is_written_is_well_formed() {
        let nasty = "a \"quoted\" \\ path\nwith\ttabs \u{1}";
        let json = Json::Object(vec![
            ("text", nasty.into()),
            ("none", Json::from(None::<f64>)),
            ("infinite", f64::INFINITY.into()),
            ("empty", Json::List(vec![])),
            ("numbers", [1.0, 0.5, 1e-9, 1e15].into_iter().collect()),
            ("nested", Json::Object(vec![("yes", true.into()), ("n", 25_424_u64.into())])),
        ]);
        let text = json.to_string();
        assert!(well_formed(&text), "{text}");
        assert!(text.contains("\"infinite\": null"));
        assert!(text.contains("\"n\": 25424"));
        assert!(text.contains("\\u0009"));
    }

    #[test]
    fn a_claim_is_written_whole() {
        let mut measured = Figures::default();
        [7.0, 6.5, 8.0].into_iter().for_each(|value| measured.push(value));
        let text = Json::from(&Claim::at_least("a".into(), measured, 6.0, Some(12.0))).to_string();
        assert_eq!(
            text,
            "{\"what\": \"a\", \"measured\": {\"median\": 7, \"lowest\": 6.5, \"highest\": 8}, \"wanted\": \"at least\", \
             \"floor\": 6, \"goal\": 12, \"met\": true, \"goal_met\": false}"
        );
        assert!(well_formed(&text));
    }
}
