package io.quorate.rabia.log;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The segment that records are added to. All methods block; one thread at a time. */
final class SegmentFile implements AutoCloseable {
  private final FileChannel channel;
  private final long number;
  private final int allocationBytes;
  private long position;
  private long size;

  private SegmentFile(FileChannel channel, long number, int allocationBytes, long position)
      throws IOException {
    this.channel = channel;
    this.number = number;
    this.allocationBytes = allocationBytes;
    this.position = position;
    this.size = channel.size();
  }

  /** Creates a segment without records. It is durable, and so is its name. */
  static SegmentFile create(LogDirectory directory, SegmentHeader header, int allocationBytes)
      throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.unfinished(header.number()),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      ByteBuffer start = ByteBuffer.allocate(Math.max(SegmentHeader.BYTES, allocationBytes));
      start.put(header.encode()).clear();
      for (long at = 0; start.hasRemaining(); ) {
        at += channel.write(start, at);
      }
      channel.force(true);
      Files.move(
          directory.unfinished(header.number()),
          directory.segment(header.number()),
          StandardCopyOption.ATOMIC_MOVE);
      directory.sync();
      return new SegmentFile(channel, header.number(), allocationBytes, SegmentHeader.BYTES);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, channel);
      throw e;
    }
  }

  /**
   * Opens a segment whose records have been read, and makes them durable. They may be in memory
   * alone, and after an fsync that failed even be taken for written; so those that are not known to
   * be on disk are written again.
   *
   * @param read its reader, at the end of the records
   */
  static SegmentFile reopen(SegmentReader read, int allocationBytes) throws IOException {
    FileChannel channel =
        FileChannel.open(read.file(), StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      SegmentFile file =
          new SegmentFile(channel, read.header().number(), allocationBytes, read.offset());
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

  long number() {
    return number;
  }

  /** Where the next record begins. */
  long position() {
    return position;
  }

  /** How long the file is, with what is allocated ahead. */
  long size() {
    return size;
  }

  /**
   * Writes records, and zeros after them where the file ends. What is read of the buffer is
   * written; its end may get the zeros added.
   *
   * @throws IOException if only part of them may have been written; the file is not to be used any
   *     more
   */
  void append(ByteBuf records) throws IOException {
    long end = position + records.readableBytes();
    if (end > size) {
      size = (end + allocationBytes - 1) / allocationBytes * allocationBytes;
      records.writeZero((int) (size - end));
    }
    for (long at = position; records.isReadable(); ) {
      at += records.readBytes(channel, at, records.readableBytes());
    }
    position = end;
  }

  /** Makes durable what was appended. */
  void sync() throws IOException {
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
