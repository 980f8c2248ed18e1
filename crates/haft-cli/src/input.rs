//! Files and standard input, bounded; what can not be read is said with what, where and what to do.

use std::{
    fmt,
    fs::File,
    io::{self, BufReader, IsTerminal as _, Read},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};

/// Most bytes of a document that is read as a whole: a message, a list of tools, arguments.
pub(crate) const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Where something is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// Standard input where the argument is absent or `-`.
    pub(crate) fn from_argument(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => Self::File(path.to_owned()),
            _ => Self::Stdin,
        }
    }

    /// Begins to read.
    pub(crate) fn open(&self) -> anyhow::Result<BufReader<Box<dyn Read>>> {
        let reader: Box<dyn Read> = match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(self.open_file(path)?),
        };
        Ok(BufReader::with_capacity(64 * 1024, reader))
    }

    fn open_file(&self, path: &Path) -> anyhow::Result<File> {
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                anyhow::anyhow!("{self} does not exist; name an existing file, or `-` for standard input")
            }
            _ => anyhow::Error::new(error).context(format!("{self} can not be opened")),
        })?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            bail!("{self} is a folder; name a file, or `-` for standard input");
        }
        Ok(file)
    }

    /// Reads all of it as text, without the mark that some editors put in front.
    pub(crate) fn read(&self) -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        let mut reader = self.open()?.take(MOST_BYTES + 1);
        reader.read_to_end(&mut bytes).with_context(|| format!("{self} can not be read"))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > MOST_BYTES) {
            bail!("{self} is larger than {} MiB; give less at once", MOST_BYTES / (1024 * 1024));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let place = place(error.as_bytes(), error.utf8_error().valid_up_to());
            anyhow::anyhow!("{self} is not UTF-8 at {place}; save it as UTF-8")
        })?;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        if text.trim().is_empty() {
            bail!("{self} is empty; JSON is expected");
        }
        Ok(text)
    }

    /// The error of a text from here that is no JSON.
    pub(crate) fn not_json(&self, error: &serde_json::Error) -> anyhow::Error {
        let what = if error.is_eof() { "ends before its JSON does" } else { "is not JSON" };
        anyhow::anyhow!("{self} {what}: {error}")
    }

    /// Whether a person has to type it.
    pub(crate) fn is_typed(&self) -> bool {
        *self == Self::Stdin && io::stdin().is_terminal()
    }
}

impl fmt::Display for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => formatter.write_str("standard input"),
            Self::File(path) => write!(formatter, "the file {}", path.display()),
        }
    }
}

/// `line 3, column 5 (byte 71)`, all but the offset counted from 1.
fn place(bytes: &[u8], offset: usize) -> String {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let line = before.split(|byte| *byte == b'\n').count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
    format!("line {line}, column {column} (byte {offset})")
}
