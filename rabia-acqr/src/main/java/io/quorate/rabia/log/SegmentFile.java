package io.quorate.rabia.log;

import io.netty.buffer.ByteBuf;
import io.quorate.common.FillAhead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The segment to which records are appended. All methods block; one thread at a time. */
final class SegmentFile implements AutoCloseable {
  private final FileChannel channel;
  private final long number;
  private final FillAhead fill;
  private long position;

  private SegmentFile(FileChannel channel, long number, long position) throws IOException {
    this.channel = channel;
    this.number = number;
    this.fill = new FillAhead(channel, position);
    this.position = position;
  }

  /** Creates a segment without records; the file and its name are durable. */
  static SegmentFile create(LogDirectory directory, SegmentHeader header) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.unfinished(header.number()),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      ByteBuffer start = header.encode();
      for (long at = 0; start.hasRemaining(); ) {
        at += channel.write(start, at);
      }
      channel.force(true);
      Files.move(
          directory.unfinished(header.number()),
          directory.segment(header.number()),
          StandardCopyOption.ATOMIC_MOVE);
      directory.sync();
      return new SegmentFile(channel, header.number(), SegmentHeader.BYTES);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, channel);
      throw e;
    }
  }

  /**
   * Opens a segment whose records have been read, and makes them durable. They may be only in the
   * page cache, which may even have marked them clean after a failed fsync; so the records that are
   * not proven durable are written again.
   *
   * @param read the reader of the segment, at the end of the records
   */
  static SegmentFile reopen(SegmentReader read) throws IOException {
    FileChannel channel =
        FileChannel.open(read.file(), StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      SegmentFile file = new SegmentFile(channel, read.header().number(), read.offset());
      ByteBuffer again =
          read.bytes().slice(read.unprovenFrom(), read.offset() - read.unprovenFrom());
      for (long at = read.unprovenFrom(); again.hasRemaining(); ) {
        at += channel.write(again, at);
      }
      channel.force(true);
      return file;
    } catch (IOException | RuntimeException e) {
      closeAfter(e, channel);
      throw e;
    }
  }

  private static void closeAfter(Exception failure, FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Closes the file because of a failure. */
  void closeAfter(Exception failure) {
    closeAfter(failure, channel);
  }

  long number() {
    return number;
  }

  /** The offset of the next record. */
  long position() {
    return position;
  }

  /** The length of the file, including the zeros ahead of the records. */
  long size() {
    return Math.max(fill.length(), position);
  }

  /**
   * Writes records; the readable bytes of the buffer are consumed.
   *
   * @throws IOException if the records may have been written in part; the file must not be used any
   *     more
   */
  void append(ByteBuf records) throws IOException {
    while (records.isReadable()) {
      position += records.readBytes(channel, position, records.readableBytes());
    }
  }

  /** Makes the appended records durable, with zeros ahead of the next ones where that pays. */
  void sync() throws IOException {
    fill.beforeSync(position);
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
