//! Why a file's symbols cannot be read, and what is missing in one that can.

use std::fmt;
use std::path::PathBuf;

/// A file has no symbols at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolError {
    /// It cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It is no ELF file, or a damaged one.
    NotElf {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It is an object file, which has no addresses yet.
    NotLinked {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for SymbolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SymbolError::Unreadable { path, why } => {
                write!(f, "{} cannot be read: {why}. Name an executable that exists", path.display())
            }
            SymbolError::NotElf { path, why } => write!(
                f,
                "{} is not a program of this system ({why}). Name an executable that `caissa cc` or `caissa c++` has linked",
                path.display()
            ),
            SymbolError::NotLinked { path } => {
                write!(
                    f,
                    "{} is an object file. Link it first: `caissa cc FILE.o -o PROGRAM`",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for SymbolError {}

/// What a file's debug information does not tell. Functions and variables still have names where the symbol tables have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// There is none.
    NoDebugInformation,
    /// It is in another file.
    Elsewhere {
        /// As the file names it.
        file: String,
    },
    /// It is compressed.
    Compressed,
    /// A part of it is in files beside the object files.
    Split,
    /// It makes no sense.
    Damaged {
        /// What is wrong with it.
        why: String,
    },
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::NoDebugInformation => {
                write!(
                    f,
                    "it has no debug information, so there are no source lines. Compile it with `-g`, and do not strip it"
                )
            }
            Gap::Elsewhere { file } => write!(
                f,
                "its debug information is in another file, {file}, which is not read. Use the program as it was before it was stripped"
            ),
            Gap::Compressed => write!(
                f,
                "its debug information is compressed, which cannot be read. Compile and link it with `-gz=none`"
            ),
            Gap::Split => write!(
                f,
                "a part of its debug information is in .dwo files, which are not read. Compile it without `-gsplit-dwarf`"
            ),
            Gap::Damaged { why } => {
                write!(f, "its debug information is damaged ({why}). Compile it again, with `-g`")
            }
        }
    }
}
