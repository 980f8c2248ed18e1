//! Whether what is read and what is written are one file, by whatever path.

use std::path::Path;

use crate::input::Input;

/// Whether writing to the path would overwrite the input.
pub(crate) fn is_input(path: &Path, input: &Input) -> bool {
    match input {
        Input::File(file) => {
            file == path || identity::of_path(file).is_some_and(|file| identity::of_path(path) == Some(file))
        }
        Input::Stdin => is_stream(path, &std::io::stdin()),
    }
}

/// Whether the path is the file that standard output goes to.
pub(crate) fn is_stdout(path: &Path) -> bool {
    is_stream(path, &std::io::stdout())
}

#[cfg(unix)]
fn is_stream(path: &Path, stream: &impl std::os::fd::AsFd) -> bool {
    identity::of_stream(stream).is_some_and(|stream| identity::of_path(path) == Some(stream))
}

// Elsewhere a stream does not tell which file it is.
#[cfg(not(unix))]
fn is_stream<T>(_path: &Path, _stream: &T) -> bool {
    false
}

/// What tells a file from all others, whatever its names; devices and pipes may be read and written at once.
#[cfg(unix)]
mod identity {
    use std::{
        fs::{self, File, Metadata},
        os::{fd::AsFd, unix::fs::MetadataExt as _},
        path::Path,
    };

    pub(super) fn of_path(path: &Path) -> Option<(u64, u64)> {
        of(&fs::metadata(path).ok()?)
    }

    pub(super) fn of_stream(stream: &impl AsFd) -> Option<(u64, u64)> {
        of(&File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()?)
    }

    fn of(metadata: &Metadata) -> Option<(u64, u64)> {
        metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
    }
}

/// As far as paths tell: links are followed, a second name of the same file is not seen.
#[cfg(not(unix))]
mod identity {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    pub(super) fn of_path(path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok().filter(|path| path.is_file())
    }
}
