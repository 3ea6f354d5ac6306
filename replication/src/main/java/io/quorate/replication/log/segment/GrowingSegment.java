package io.quorate.replication.log.segment;

import io.quorate.common.DurableFiles;
import io.quorate.common.FillAhead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The newest segment, to which records are appended. All methods block; one thread at a time, which
 * nobody may interrupt: that would close the file.
 */
public final class GrowingSegment implements AutoCloseable {
  private final FileChannel channel;
  private final SegmentStart start;
  private final FillAhead fill;
  private final RecordHead.Encoder encoder;
  private int position;
  private int durable;

  private GrowingSegment(FileChannel channel, SegmentStart start, int position) throws IOException {
    this.channel = channel;
    this.start = start;
    this.fill = new FillAhead(channel, position);
    this.encoder = new RecordHead.Encoder(start.salt(), start.number());
    this.position = position;
    this.durable = position;
  }

  /** The encoder of the records of a segment that will be created. */
  public static RecordHead.Encoder encoderOf(SegmentStart start) {
    return new RecordHead.Encoder(start.salt(), start.number());
  }

  /**
   * Creates a segment. When the call returns, file, name and content are durable; before, there is
   * no segment of this number.
   *
   * @param records its first records, encoded for the offset {@link SegmentStart#BYTES}; consumed
   */
  public static GrowingSegment create(
      SegmentDirectory directory, SegmentStart start, ByteBuffer records) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.unfinished(start.number()),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    try {
      ByteBuffer head = ByteBuffer.allocate(SegmentStart.BYTES);
      start.encode(head);
      int end = writeAll(channel, head.flip(), 0);
      end = writeAll(channel, records, end);
      channel.force(true);
      Files.move(
          directory.unfinished(start.number()),
          directory.file(start.number()),
          StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.syncDirectory(directory.path());
      return new GrowingSegment(channel, start, end);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, channel);
      throw e;
    }
  }

  private static int writeAll(FileChannel channel, ByteBuffer from, int at) throws IOException {
    int end = at;
    while (from.hasRemaining()) {
      end += channel.write(from, end);
    }
    return end;
  }

  private static void closeAfter(Exception failure, FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  public SegmentStart start() {
    return start;
  }

  public long number() {
    return start.number();
  }

  /** Of the records of this segment. */
  public RecordHead.Encoder encoder() {
    return encoder;
  }

  /** The offset after the last appended record. */
  public int position() {
    return position;
  }

  /** The offset up to which the segment is durable. */
  public int durable() {
    return durable;
  }

  /** The length of the file, with zeros ahead of the records. */
  public long size() {
    return Math.max(fill.length(), position);
  }

  /**
   * Writes records.
   *
   * @param records from position to limit; consumed
   * @throws IOException if they may have been written in part; the segment must not be used any
   *     more
   */
  public void append(ByteBuffer records) throws IOException {
    position = writeAll(channel, records, position);
  }

  /**
   * Makes the appended records durable.
   *
   * @throws IOException if it is unknown what is durable; the segment must not be used any more
   */
  public void sync() throws IOException {
    fill.beforeSync(position);
    channel.force(false);
    durable = position;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
