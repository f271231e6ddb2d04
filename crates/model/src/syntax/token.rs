//! Tokens: what the text is made of.

use crate::ir::Span;

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

macro_rules! kinds {
    (
        words { $($word:ident = $word_text:literal),* $(,)? }
        signs { $($sign:ident = $sign_text:literal),* $(,)? }
    ) => {
        /// The kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Kind {
            /// A name that is no keyword.
            Name,
            /// A number.
            Number,
            /// A text in quotes.
            Text,
            /// Something that the lexer has complained about.
            Bad,
            /// Behind the last token.
            End,
            $($word,)*
            $($sign,)*
        }

        /// The keywords.
        pub(crate) const KEYWORDS: &[(&str, Kind)] = &[$(($word_text, Kind::$word)),*];

        impl Kind {
            /// The keyword, if it is one.
            pub(crate) fn keyword(text: &str) -> Option<Kind> {
                match text {
                    $($word_text => Some(Kind::$word),)*
                    _ => None,
                }
            }

            /// In messages.
            pub(crate) fn describe(self) -> &'static str {
                match self {
                    Kind::Name => "a name",
                    Kind::Number => "a number",
                    Kind::Text => "a text in quotes",
                    Kind::Bad => "something unknown",
                    Kind::End => "the end of the file",
                    $(Kind::$word => concat!("`", $word_text, "`"),)*
                    $(Kind::$sign => concat!("`", $sign_text, "`"),)*
                }
            }
        }
    };
}

kinds! {
    words {
        Assert = "assert", Assume = "assume", At = "at", Atomic = "atomic", Await = "await", Bool = "bool", Buffer = "buffer",
        Choose = "choose", Const = "const", Either = "either", Else = "else", Enum = "enum", False = "false", Final = "final",
        For = "for", Havoc = "havoc", If = "if", Implicit = "implicit", In = "in", Int = "int", Interrupt = "interrupt",
        Levels = "levels", Lock = "lock", Or = "or", Pause = "pause", Plain = "plain", Post = "post", Proc = "proc",
        Raise = "raise", Record = "record", Return = "return", Runs = "runs", Serial = "serial", Skip = "skip", True = "true",
        Unlock = "unlock", Var = "var", While = "while", Yield = "yield", Yields = "yields", Zield = "zield", Zields = "zields",
    }
    signs {
        LeftParen = "(", RightParen = ")", LeftBracket = "[", RightBracket = "]", LeftBrace = "{", RightBrace = "}",
        Comma = ",", Semicolon = ";", Colon = ":", Becomes = ":=", Equals = "=", Dot = ".", Dots = "..", Question = "?",
        OrOr = "||", AndAnd = "&&", EqualEqual = "==", BangEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">",
        GreaterEqual = ">=", Pipe = "|", Caret = "^", Ampersand = "&", LessLess = "<<", GreaterGreater = ">>", Plus = "+",
        Minus = "-", Star = "*", Slash = "/", Percent = "%", Bang = "!", Tilde = "~",
    }
}

impl Kind {
    /// Keywords that mean something at the top of a file only, and may be names elsewhere.
    pub(crate) fn is_soft(self) -> bool {
        matches!(
            self,
            Kind::Buffer
                | Kind::Implicit
                | Kind::Interrupt
                | Kind::Levels
                | Kind::Record
                | Kind::Runs
                | Kind::Serial
                | Kind::Yields
                | Kind::Zields
        )
    }

    /// It may stand for a name.
    pub(crate) fn is_name(self) -> bool {
        self == Kind::Name || self.is_soft()
    }

    /// It begins a declaration, and nothing else.
    pub(crate) fn begins_declaration(self) -> bool {
        matches!(self, Kind::Const | Kind::Enum | Kind::Final | Kind::Plain | Kind::Proc) || self.is_soft()
    }

    /// It begins a statement, and nothing else.
    pub(crate) fn begins_statement(self) -> bool {
        matches!(
            self,
            Kind::Assert
                | Kind::Assume
                | Kind::Atomic
                | Kind::Await
                | Kind::Either
                | Kind::For
                | Kind::Havoc
                | Kind::If
                | Kind::Lock
                | Kind::Pause
                | Kind::Post
                | Kind::Raise
                | Kind::Return
                | Kind::Skip
                | Kind::Unlock
                | Kind::Var
                | Kind::While
                | Kind::Yield
                | Kind::Zield
        )
    }

    /// An operand may end with it, so that a `*` or `-` behind it has two operands.
    pub(crate) fn ends_operand(self) -> bool {
        matches!(
            self,
            Kind::Number | Kind::Text | Kind::True | Kind::False | Kind::RightParen | Kind::RightBracket
        ) || self.is_name()
    }
}
