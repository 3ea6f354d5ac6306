package io.quorate.rabia.log;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DecodeException;
import io.quorate.common.ReplicaReads;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Reads the records of a segment in order, up to the first invalid one. Not thread-safe. */
final class SegmentReader {
  private final Path file;
  private final ByteBuffer bytes;
  private final SegmentHeader header;
  private int offset = SegmentHeader.BYTES;
  private long sequence;
  private int unproven = SegmentHeader.BYTES;

  private SegmentReader(Path file, ByteBuffer bytes) throws IOException {
    this.file = file;
    this.bytes = bytes;
    this.header = SegmentHeader.decode(file, bytes);
    this.sequence = header.first();
  }

  /**
   * Reads the whole file into memory; blocks meanwhile.
   *
   * @throws DamagedLogException if it has no valid header or cannot be read
   */
  static SegmentReader open(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      if (size > Integer.MAX_VALUE) {
        throw LogDamage.at(file, Integer.MAX_VALUE, "it is too long for a log file");
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) size);
      while (bytes.hasRemaining()) {
        if (channel.read(bytes) < 0) {
          throw new IOException("it became shorter meanwhile");
        }
      }
      return new SegmentReader(file, bytes.flip());
    } catch (IOException e) {
      throw ReplicaReads.failure(file, e);
    }
  }

  Path file() {
    return file;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  SegmentHeader header() {
    return header;
  }

  /** The offset of the next record. */
  int offset() {
    return offset;
  }

  /** The sequence number of the next record. */
  long sequence() {
    return sequence;
  }

  /** The offset of the first record that no later record proves durable. */
  int unprovenFrom() {
    return unproven;
  }

  /**
   * The next record.
   *
   * @return empty if no valid record follows
   * @throws DamagedLogException if the next record is valid, but not the one that belongs here, or
   *     cannot be decoded
   */
  Optional<LogRecord> next() throws DamagedLogException {
    Optional<RecordFrame> found = RecordFrame.at(offset, bytes, header.number());
    if (found.isEmpty() || !found.get().isIntact(bytes)) {
      return Optional.empty();
    }
    RecordFrame frame = found.get();
    if (frame.sequence() != sequence || frame.durable() >= sequence) {
      throw LogDamage.at(
          file, offset, "record " + frame.sequence() + " is at the place of record " + sequence);
    }
    LogRecord record = decode(frame);
    if (frame.durable() == sequence - 1) {
      unproven = offset;
    }
    offset = (int) frame.end();
    sequence++;
    return Optional.of(record);
  }

  private LogRecord decode(RecordFrame frame) throws DamagedLogException {
    try {
      return frame.decode(bytes);
    } catch (DecodeException e) {
      throw LogDamage.at(file, frame.offset(), e.getMessage());
    }
  }
}
