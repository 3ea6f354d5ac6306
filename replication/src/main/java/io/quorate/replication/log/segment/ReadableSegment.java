package io.quorate.replication.log.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Reads records of a segment by their place. Thread-safe; reads block. It has a channel of its own,
 * because an interrupted reader closes it; it is opened again for the others.
 */
public final class ReadableSegment implements AutoCloseable {
  private final Path file;
  private final long salt;
  private final long number;
  private FileChannel channel;
  private boolean closed;

  public ReadableSegment(Path file, long salt, long number) {
    this.file = file;
    this.salt = salt;
    this.number = number;
  }

  public Path file() {
    return file;
  }

  /**
   * A record that was read.
   *
   * @param payload without the order of a rewritten record
   */
  public record Read(RecordHead head, byte[] payload) {}

  /**
   * Reads and verifies a record.
   *
   * @param length the length of its payload as it is in the file
   * @return empty if the segment was closed
   * @throws DamagedRecordException if it differs from what was written, or cannot be read
   * @throws ClosedByInterruptException if the thread was interrupted
   */
  public Optional<Read> read(int offset, int length) throws IOException {
    ByteBuffer record = ByteBuffer.allocate(RecordHead.BYTES + length);
    Optional<FileChannel> opened = channel();
    while (opened.isPresent()) {
      try {
        readFully(opened.get(), record.clear(), offset);
        return Optional.of(verified(record, offset, length));
      } catch (ClosedByInterruptException e) {
        throw e;
      } catch (ClosedChannelException e) {
        // Another reader was interrupted, or the segment is closed.
        opened = channel();
      } catch (DamagedRecordException e) {
        throw e;
      } catch (IOException e) {
        throw new DamagedRecordException(file, offset, e);
      }
    }
    return Optional.empty();
  }

  private synchronized Optional<FileChannel> channel() throws IOException {
    if (closed) {
      return Optional.empty();
    }
    if (channel == null || !channel.isOpen()) {
      channel = FileChannel.open(file, StandardOpenOption.READ);
    }
    return Optional.of(channel);
  }

  private static void readFully(FileChannel from, ByteBuffer into, int offset) throws IOException {
    while (into.hasRemaining()) {
      if (from.read(into, offset + (long) into.position()) < 0) {
        return;
      }
    }
  }

  private Read verified(ByteBuffer record, int offset, int length) throws IOException {
    if (record.hasRemaining()) {
      throw new DamagedRecordException(file, offset + record.position(), "the file ends");
    }
    Optional<RecordHead> head =
        RecordHead.of(record, offset, new RecordHead.HeadChecksum(salt, number));
    if (head.isEmpty() || head.get().length() != length) {
      throw new DamagedRecordException(file, offset, "the head of the record has changed");
    }
    byte[] payload = new byte[length];
    record.get(RecordHead.BYTES, payload);
    if (RecordHead.checksum(payload) != head.get().payloadChecksum()) {
      throw new DamagedRecordException(file, offset, "the record has changed since it was written");
    }
    return new Read(head.get(), payload);
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    if (channel != null) {
      channel.close();
    }
  }
}
