//! Gzip (RFC 1952), as `gzip`, `pigz` and `bgzip` write it.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

/// The first bytes of a file.
pub const MAGIC: &[u8] = b"\x1f\x8b";

/// The contents of a gzip file.
struct Contents<R> {
    decoder: MultiGzDecoder<R>,
    /// Bytes that were unpacked so far.
    unpacked: u64,
}

/// Unpacks a gzip file while it is read.
pub fn contents(source: impl BufRead) -> impl BufRead {
    BufReader::new(Contents { decoder: MultiGzDecoder::new(source), unpacked: 0 })
}

impl<R: BufRead> Read for Contents<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(target).map_err(|error| {
            // Errors of the operating system do not mean damaged contents.
            if error.raw_os_error().is_some() || error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            let found = match error.kind() {
                io::ErrorKind::UnexpectedEof => "the file ends early".to_owned(),
                _ => error.to_string(),
            };
            let unpacked = self.unpacked;
            io::Error::other(format!(
                "damaged gzip data after {unpacked} unpacked bytes: {found}; copy or pack the file again"
            ))
        })?;
        self.unpacked += read as u64;
        Ok(read)
    }
}

/// Packs what `contents` writes.
pub fn write(target: &mut dyn Write, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut encoder = GzEncoder::new(target, Compression::default());
    contents(&mut encoder)?;
    encoder.finish()?.flush()
}
