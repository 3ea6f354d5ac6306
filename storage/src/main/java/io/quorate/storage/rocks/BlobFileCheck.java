package io.quorate.storage.rocks;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Checks every record of a blob file, of which RocksDB has no verification of its own: a header
 * with the lengths and a masked CRC-32C of them, then the key and the value, with one of both. The
 * records are between a header and a footer of the file. Reads the device and not the page cache
 * where the file system can do that. Blocks; one thread.
 */
final class BlobFileCheck implements AutoCloseable {
  private static final int FILE_HEADER_BYTES = 30;
  private static final int FOOTER_BYTES = 32;
  private static final int MAGIC = 2395959;
  private static final int LENGTHS_BYTES = 3 * Long.BYTES;
  private static final int RECORD_HEADER_BYTES = LENGTHS_BYTES + 2 * Integer.BYTES;
  private static final int WINDOW_BYTES = 256 << 10;
  private static final int ALIGNMENT_MIN = 4096;

  private final FileChannel channel;
  private final long size;

  /** What was read of the file and not consumed yet. */
  private final ByteBuffer window;

  /** The offset of the next read. */
  private long readOffset;

  private BlobFileCheck(FileChannel channel, int alignment) throws IOException {
    this.channel = channel;
    this.size = channel.size();
    this.window =
        ByteBuffer.allocateDirect(WINDOW_BYTES + alignment)
            .alignedSlice(alignment)
            .limit(WINDOW_BYTES)
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN)
            .limit(0);
  }

  /**
   * What is wrong with a file that is complete; empty if it is as it was written.
   *
   * @throws IOException if it cannot be read
   */
  static Optional<String> damage(Path file) throws IOException {
    int alignment = (int) Math.max(ALIGNMENT_MIN, Files.getFileStore(file).getBlockSize());
    try (BlobFileCheck check = new BlobFileCheck(open(file), alignment)) {
      return check.damage();
    }
  }

  private static FileChannel open(Path file) throws IOException {
    try {
      return FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
    } catch (IOException | UnsupportedOperationException e) {
      // File systems in memory, for example, have no such reads.
      return FileChannel.open(file, StandardOpenOption.READ);
    }
  }

  private Optional<String> damage() throws IOException {
    if (size < FILE_HEADER_BYTES + FOOTER_BYTES) {
      return Optional.of("it has only " + size + " bytes");
    }
    if (header(FILE_HEADER_BYTES).getInt(0) != MAGIC) {
      return Optional.of("its header");
    }
    long at = FILE_HEADER_BYTES;
    long end = size - FOOTER_BYTES;
    while (at < end) {
      if (end - at < RECORD_HEADER_BYTES) {
        return Optional.of("its record at byte " + at);
      }
      ByteBuffer header = header(RECORD_HEADER_BYTES);
      long keyBytes = header.getLong(0);
      long valueBytes = header.getLong(Long.BYTES);
      long left = end - at - RECORD_HEADER_BYTES;
      boolean isIntact =
          isMasked(header.getInt(LENGTHS_BYTES), crc(header.slice(0, LENGTHS_BYTES)))
              && keyBytes >= 0
              && keyBytes <= left
              && valueBytes >= 0
              && valueBytes <= left - keyBytes
              && isMasked(
                  header.getInt(LENGTHS_BYTES + Integer.BYTES), consumed(keyBytes + valueBytes));
      if (!isIntact) {
        return Optional.of("its record at byte " + at);
      }
      at += RECORD_HEADER_BYTES + keyBytes + valueBytes;
    }
    ByteBuffer footer = header(FOOTER_BYTES);
    int checked = FOOTER_BYTES - Integer.BYTES;
    boolean isIntact =
        footer.getInt(0) == MAGIC
            && isMasked(footer.getInt(checked), crc(footer.slice(0, checked)));
    return isIntact ? Optional.empty() : Optional.of("its footer");
  }

  /** Checksums are stored rotated and increased, so that they may be checked themselves. */
  private static boolean isMasked(int stored, CRC32C crc) {
    return stored == ManifestCheck.masked((int) crc.getValue());
  }

  private static CRC32C crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc;
  }

  /** A copy of the next bytes, which are few. */
  private ByteBuffer header(int bytes) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (header.hasRemaining()) {
      header.put(next(header.remaining()));
    }
    return header.flip();
  }

  private CRC32C consumed(long bytes) throws IOException {
    CRC32C crc = new CRC32C();
    for (long left = bytes; left > 0; ) {
      ByteBuffer part = next(left);
      left -= part.remaining();
      crc.update(part);
    }
    return crc;
  }

  /** At least one of the next bytes, and as many as asked for at most. */
  private ByteBuffer next(long bytesMax) throws IOException {
    if (!window.hasRemaining()) {
      window.clear();
      int read = channel.read(window, readOffset);
      if (read <= 0) {
        throw new IOException("The file has become shorter than " + size + " bytes.");
      }
      readOffset += read;
      window.flip();
    }
    int bytes = (int) Math.min(bytesMax, window.remaining());
    ByteBuffer part = window.slice(window.position(), bytes);
    window.position(window.position() + bytes);
    return part;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
