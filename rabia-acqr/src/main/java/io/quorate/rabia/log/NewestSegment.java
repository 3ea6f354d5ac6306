package io.quorate.rabia.log;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * A file outside of a log's directory that names the newest segment of the log. Without it a log
 * whose directory, or whose last segment, was removed would be mistaken for a new or a shorter one,
 * and its replica would contradict its earlier votes (P1). All methods block; one thread at a time.
 */
final class NewestSegment {
  private static final long MAGIC = 0x5152_4e45_5745_5354L; // QRNEWEST
  private static final int BYTES = 2 * Long.BYTES + Integer.BYTES;

  private final Path file;

  NewestSegment(Path file) {
    this.file = file.toAbsolutePath();
  }

  Path file() {
    return file;
  }

  /**
   * The recorded segment; every record that a sent message depends on is in it or an older one.
   *
   * @return empty if the log was never begun
   * @throws DamagedLogException if the file is malformed
   */
  OptionalLong read() throws IOException {
    if (!Files.exists(file)) {
      return OptionalLong.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    if (bytes.remaining() != BYTES
        || bytes.getLong() != MAGIC
        || bytes.getInt(BYTES - Integer.BYTES) != checksum(bytes.array())) {
      throw LogDamage.at(file, 0, "it does not name the newest segment of a log");
    }
    return OptionalLong.of(bytes.getLong());
  }

  /** Records a segment that exists, before any record in it is reported durable. */
  void note(long segment) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES).putLong(MAGIC).putLong(segment);
    bytes.putInt(checksum(bytes.array())).flip();
    Files.createDirectories(file.getParent());
    DurableFiles.replace(file, file.resolveSibling(file.getFileName() + ".new"), bytes);
  }

  private static int checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, BYTES - Integer.BYTES);
    return (int) checksum.getValue();
  }
}
