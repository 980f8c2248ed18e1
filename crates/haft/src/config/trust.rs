//! Which files of working directories a person has trusted, each with the content that was looked at.
//!
//! One small file for each, so that two commands at once lose nothing.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use haft_core::Digest;
use serde::{Deserialize, Serialize};

use super::{environment::Environment, file::content_digest, problem::reason};

/// Most bytes of a record.
const MOST_BYTES: u64 = 64 * 1024;

/// Whether what a file says may start programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// The user wrote or named the file, or it starts nothing.
    NotNeeded,
    /// A person has trusted this content.
    Given,
    /// Nobody has trusted the file.
    Missing,
    /// A person has trusted the file, and it has been changed since.
    Outdated,
}

impl Trust {
    /// Whether the file may start programs.
    pub const fn is_enough(self) -> bool {
        matches!(self, Self::NotNeeded | Self::Given)
    }

    /// The name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotNeeded => "not-needed",
            Self::Given => "given",
            Self::Missing => "missing",
            Self::Outdated => "outdated",
        }
    }
}

/// The records of trust can not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// There is no folder to keep them in.
    #[error("there is no folder to remember trust in: the user has no home directory; set HOME")]
    NoFolder,
    /// A file can not be read or written.
    #[error("{} {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl TrustError {
    /// The stable number.
    #[expect(clippy::unused_self, reason = "asked of every error alike")]
    pub const fn code(&self) -> u16 {
        2910
    }

    fn of(path: &Path, error: &io::Error) -> Self {
        Self::File { path: path.to_owned(), reason: reason(error) }
    }
}

/// A file that a person has trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrustedFile {
    /// The file, by its true path.
    pub file: PathBuf,
    /// The digest of the content that was trusted.
    pub digest: String,
}

impl TrustedFile {
    /// How the file stands now: [`Trust::Missing`] where it is gone.
    pub fn now(&self) -> Trust {
        match fs::read(&self.file) {
            Ok(bytes) if content_digest(&bytes).to_string() == self.digest => Trust::Given,
            Ok(_) => Trust::Outdated,
            Err(_) => Trust::Missing,
        }
    }
}

/// What a person has trusted, remembered in the user's state folder.
///
/// ```
/// use haft::config::{Environment, Trust, TrustStore, content_digest};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("haft-trust-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let environment = Environment::empty(&folder).with_state_folder(folder.join("state"));
/// let store = TrustStore::of(&environment)?;
/// let (file, content) = (folder.join("mcp.json"), br#"{"mcpServers": {}}"#);
/// std::fs::write(&file, content)?;
/// assert_eq!(store.look(&file, content_digest(content))?, Trust::Missing);
///
/// store.trust(&file, content_digest(content))?;
/// assert_eq!(store.look(&file, content_digest(content))?, Trust::Given);
/// assert_eq!(store.look(&file, content_digest(b"{}"))?, Trust::Outdated);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TrustStore {
    folder: PathBuf,
}

impl TrustStore {
    /// That of the user.
    ///
    /// # Errors
    /// There is no folder to keep it in.
    pub fn of(environment: &Environment) -> Result<Self, TrustError> {
        let state = environment.state_folder().ok_or(TrustError::NoFolder)?;
        Ok(Self { folder: state.join("trusted") })
    }

    /// Whether a file with the content of this [`content_digest`] is trusted.
    ///
    /// # Errors
    /// The record can not be read.
    pub fn look(&self, file: &Path, digest: Digest) -> Result<Trust, TrustError> {
        let file = true_path(file)?;
        let Some(record) = self.record(&self.place(&file))? else { return Ok(Trust::Missing) };
        // A record of another file under the same name would be one that somebody put there.
        if record.file != file {
            return Ok(Trust::Missing);
        }
        Ok(if record.digest == digest.to_string() { Trust::Given } else { Trust::Outdated })
    }

    /// Trusts a file with this content from now on; another content counts no more.
    ///
    /// # Errors
    /// The record can not be written.
    pub fn trust(&self, file: &Path, digest: Digest) -> Result<(), TrustError> {
        let file = true_path(file)?;
        let place = self.place(&file);
        let record = TrustedFile { file, digest: digest.to_string() };
        // Paths that are no text can not be written as JSON.
        let text = serde_json::to_vec(&record).map_err(|_| TrustError::File {
            path: record.file.clone(),
            reason: "has a path that is no text".into(),
        })?;
        self.write(&place, &text).map_err(|error| TrustError::of(&place, &error))
    }

    /// Trusts a file no more; whether it was trusted.
    ///
    /// # Errors
    /// The record can not be removed.
    pub fn revoke(&self, file: &Path) -> Result<bool, TrustError> {
        // What has gone can be revoked as well, by the path that is listed.
        let place = self.place(&true_path(file).unwrap_or_else(|_| file.to_owned()));
        match fs::remove_file(&place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(TrustError::of(&place, &error)),
        }
    }

    /// Every file that is trusted, by path.
    ///
    /// # Errors
    /// The records can not be read.
    pub fn list(&self) -> Result<Vec<TrustedFile>, TrustError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(|error| TrustError::of(&self.folder, &error))?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| TrustError::of(&self.folder, &error))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                files.extend(self.record(&path)?);
            }
        }
        files.sort_by(|one, other| one.file.cmp(&other.file));
        Ok(files)
    }

    fn place(&self, file: &Path) -> PathBuf {
        let name = Digest::of("trusted file", [file.as_os_str().as_encoded_bytes()]);
        self.folder.join(format!("{name}.json"))
    }

    /// The record at a place; none where there is none, or where it is no record.
    #[expect(clippy::unused_self, reason = "reads as one with the others")]
    fn record(&self, place: &Path) -> Result<Option<TrustedFile>, TrustError> {
        use io::Read as _;
        let mut text = Vec::new();
        let read = fs::File::open(place).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
        match read {
            Ok(_) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TrustError::of(place, &error)),
        }
    }

    /// Writes whole or not at all.
    fn write(&self, place: &Path, text: &[u8]) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.folder)?;
        let half = place.with_extension(format!("{}.new", std::process::id()));
        let written = fs::write(&half, text).and_then(|()| fs::rename(&half, place));
        if written.is_err() {
            // What is left of it is of no use, and not being able to remove it changes nothing.
            drop(fs::remove_file(&half));
        }
        written
    }
}

/// The file by its one true path, so that links and `..` make no second file of it.
fn true_path(file: &Path) -> Result<PathBuf, TrustError> {
    fs::canonicalize(file).map_err(|error| TrustError::of(file, &error))
}
