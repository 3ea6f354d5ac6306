package io.quorate.replication.log.segment;

import io.quorate.replication.log.segment.RecordHead.HeadChecksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The content of a segment, divided into records and what is none. Not thread-safe; the content is
 * valid until the next one is loaded into the same {@link Memory}.
 */
public final class ScannedSegment {
  private static final Logger LOG = LoggerFactory.getLogger(ScannedSegment.class);
  private static final int READ_BYTES = 64 << 10;

  /** Memory for the content of one segment at a time. */
  public static final class Memory {
    private ByteBuffer bytes = ByteBuffer.allocate(0);

    private ByteBuffer of(int length) {
      if (bytes.capacity() < length) {
        bytes = ByteBuffer.allocate(length);
      }
      return bytes.clear().limit(length);
    }
  }

  /**
   * A part of a segment.
   *
   * @param head of a record; empty for what is no record
   * @param isIntact whether it is a record with all of its payload
   */
  public record Piece(int from, int to, Optional<RecordHead> head, boolean isIntact) {}

  private final Path file;
  private final ByteBuffer content;
  private final List<Piece> pieces = new ArrayList<>();
  private final CRC32C crc = new CRC32C();
  private HeadChecksum checksum;

  private ScannedSegment(Path file, ByteBuffer content) {
    this.file = file;
    this.content = content;
  }

  /**
   * Reads a file. Parts that the device does not return are as if they had been overwritten.
   *
   * @throws IOException if it cannot be opened
   */
  public static ScannedSegment load(Path file, Memory memory) throws IOException {
    return load(file, memory, Integer.MAX_VALUE - Long.BYTES);
  }

  /** The head of the first record of a segment, without reading more; empty if it is damaged. */
  public static Optional<RecordHead> firstHead(Path file, Memory memory, long salt, long number)
      throws IOException {
    ScannedSegment start = load(file, memory, SegmentStart.BYTES + RecordHead.BYTES);
    return RecordHead.at(start.content, SegmentStart.BYTES, new HeadChecksum(salt, number));
  }

  private static ScannedSegment load(Path file, Memory memory, int bytesMax) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer bytes = memory.of((int) Math.min(channel.size(), bytesMax));
      int length = bytes.limit();
      for (int from = 0; from < length; from += READ_BYTES) {
        read(file, channel, bytes.limit(Math.min(length, from + READ_BYTES)).position(from));
      }
      return new ScannedSegment(file, bytes.limit(length).position(0));
    }
  }

  private static void read(Path file, FileChannel channel, ByteBuffer into) {
    int from = into.position();
    try {
      while (into.hasRemaining() && channel.read(into, into.position()) >= 0) {
        // Short reads are continued.
      }
    } catch (IOException e) {
      LOG.error("A part of a log file cannot be read file={} byte={}", file, from, e);
      into.position(from);
    }
    while (into.hasRemaining()) {
      into.put((byte) 0);
    }
  }

  public Path file() {
    return file;
  }

  public int length() {
    return content.limit();
  }

  /**
   * The parts from the end of the start to the end of the file, without a gap.
   *
   * @param salt of the log
   * @param number of the segment
   */
  public List<Piece> pieces(long salt, long number) {
    checksum = new HeadChecksum(salt, number);
    pieces.clear();
    int at = Math.min(SegmentStart.BYTES, content.limit());
    while (at < content.limit()) {
      Optional<RecordHead> head = RecordHead.at(content, at, checksum);
      Piece piece = head.isPresent() ? record(at, head.get()) : hole(at);
      pieces.add(piece);
      at = piece.to();
    }
    return pieces;
  }

  private Piece record(int at, RecordHead head) {
    boolean isComplete = head.length() <= content.limit() - at - RecordHead.BYTES;
    if (isComplete && payloadChecksum(at, head.length()) == head.payloadChecksum()) {
      return new Piece(at, at + head.recordBytes(), Optional.of(head), true);
    }
    int end = isComplete ? at + head.recordBytes() : content.limit();
    return new Piece(at, end, Optional.of(head), false);
  }

  private int payloadChecksum(int at, int length) {
    crc.reset();
    crc.update(content.array(), content.arrayOffset() + at + RecordHead.BYTES, length);
    return (int) crc.getValue();
  }

  private Piece hole(int from) {
    int at = from + 1;
    while (at < content.limit() && RecordHead.at(content, at, checksum).isEmpty()) {
      at++;
    }
    return new Piece(from, Math.min(at, content.limit()), Optional.empty(), false);
  }

  /** Whether nothing follows an offset but zeros, which may have been written ahead of records. */
  public boolean isZero(int from) {
    for (int at = from; at < content.limit(); at++) {
      if (content.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** A copy of the payload of an intact record. */
  public byte[] payload(Piece piece) {
    byte[] payload = new byte[piece.to() - piece.from() - RecordHead.BYTES];
    content.get(piece.from() + RecordHead.BYTES, payload);
    return payload;
  }

  /** The long with which the payload of an intact record begins. */
  public long firstLong(Piece piece) {
    return content.getLong(piece.from() + RecordHead.BYTES);
  }

  /**
   * Cuts the file at the end of its records, and makes durable what may be in the memory of the
   * operating system only: a failed fsync may have marked it as written.
   *
   * @param unproven the offset from which nothing states that the records are durable
   * @param end the end of the records
   */
  public void settle(int unproven, int end) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(end);
      ByteBuffer again = content.duplicate().limit(end).position(Math.min(unproven, end));
      while (again.hasRemaining()) {
        channel.write(again, again.position());
      }
      channel.force(true);
    }
  }
}
