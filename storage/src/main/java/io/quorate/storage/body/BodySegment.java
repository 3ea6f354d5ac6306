package io.quorate.storage.body;

import io.quorate.common.DurableFiles;
import io.quorate.storage.body.RecordHeader.Side;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;

/**
 * A file of records. One thread appends; any thread reads. All methods block. An interrupt of a
 * thread in a method closes the file.
 */
final class BodySegment implements AutoCloseable {
  /**
   * The length of one read or write: the JVM copies it into memory outside of the heap, and keeps
   * that memory for each thread.
   */
  private static final int COPY_BYTES = 1 << 20;

  /** Receives the headers of a segment in order. */
  interface Visitor {
    void record(Place place, RecordHeader header) throws IOException;
  }

  private final long number;
  private final Path file;
  private final FileChannel channel;
  private volatile long size;

  /** The length of the part that is durable. */
  private volatile long durable;

  /** Records whose header is damaged, by their offset. */
  private final Map<Long, RecordHeader> rescued = new ConcurrentHashMap<>();

  private BodySegment(long number, Path file, FileChannel channel) throws IOException {
    this.number = number;
    this.file = file;
    this.channel = channel;
    this.size = channel.size();
  }

  /**
   * Creates an empty segment; its name is durable. May be called again after a failure, which may
   * leave an empty file.
   */
  static BodySegment create(Path file, long number) throws IOException {
    BodySegment created = open(file, number, StandardOpenOption.CREATE);
    try {
      DurableFiles.syncDirectory(file.getParent());
      return created;
    } catch (IOException e) {
      created.close();
      throw e;
    }
  }

  static BodySegment open(Path file, long number) throws IOException {
    return open(file, number, StandardOpenOption.WRITE);
  }

  private static BodySegment open(Path file, long number, StandardOpenOption how)
      throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, how);
    try {
      return new BodySegment(number, file, channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  long number() {
    return number;
  }

  Path file() {
    return file;
  }

  /** The length of the records in bytes. */
  long size() {
    return size;
  }

  /**
   * Writes a record at the end; it is not durable before {@link #sync}.
   *
   * @param content consumed by the call
   * @throws IOException if the record could not be written; the segment can still be used, and may
   *     have bytes of the record behind its end
   */
  StoredBody append(RecordHeader header, List<ByteBuffer> content) throws IOException {
    Place place = new Place(number, size);
    List<ByteBuffer> parts = new ArrayList<>(2 + content.size());
    parts.add(header.encode(Side.HEADER, place, durable));
    parts.addAll(content);
    parts.add(header.encode(Side.TRAILER, place, durable));
    // A failed append may have left bytes here.
    channel.position(place.offset());
    if (header.recordBytes() <= COPY_BYTES) {
      writeAll(parts.toArray(ByteBuffer[]::new), header.recordBytes());
    } else {
      for (ByteBuffer part : parts) {
        writeInPieces(part);
      }
    }
    size += header.recordBytes();
    return new StoredBody(place, header);
  }

  private void writeAll(ByteBuffer[] parts, long bytes) throws IOException {
    for (long left = bytes; left > 0; ) {
      left -= channel.write(parts);
    }
  }

  private void writeInPieces(ByteBuffer part) throws IOException {
    int end = part.limit();
    while (part.position() < end) {
      part.limit(Math.min(end, part.position() + COPY_BYTES));
      channel.write(part);
    }
  }

  /** Makes the appended records durable. */
  void sync() throws IOException {
    long end = size;
    channel.force(false);
    durable = end;
  }

  /** Whether all records were made durable. */
  boolean isDurable() {
    return durable == size;
  }

  /** Makes the appended records durable, and removes what a failed append left behind them. */
  void seal() throws IOException {
    channel.truncate(size);
    channel.force(true);
    durable = size;
  }

  /**
   * The content of a body.
   *
   * @throws DamagedBodyException if it is not what was written
   * @throws java.nio.channels.ClosedChannelException if the segment was deleted
   */
  ByteBuffer read(StoredBody stored) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(stored.header().length());
    try {
      fill(content, stored.place().offset() + RecordHeader.BYTES);
    } catch (EOFException e) {
      throw new DamagedBodyException(stored.header().body(), stored.place());
    }
    if (!stored.header().matches(content)) {
      throw new DamagedBodyException(stored.header().body(), stored.place());
    }
    return content;
  }

  /**
   * Checks the content of a body, without keeping it.
   *
   * @throws DamagedBodyException as {@link #read(StoredBody)}
   * @throws java.nio.channels.ClosedChannelException if the segment was deleted
   */
  void verify(StoredBody stored) throws IOException {
    RecordHeader header = stored.header();
    long begin = stored.place().offset() + RecordHeader.BYTES;
    CRC32C checksum = new CRC32C();
    ByteBuffer piece = ByteBuffer.allocate(Math.min(COPY_BYTES, header.length()));
    try {
      for (int done = 0; done < header.length(); done += piece.limit()) {
        piece.clear().limit(Math.min(piece.capacity(), header.length() - done));
        fill(piece, begin + done);
        checksum.update(piece.duplicate());
      }
    } catch (EOFException e) {
      throw new DamagedBodyException(header.body(), stored.place());
    }
    if ((int) checksum.getValue() != header.contentChecksum()) {
      throw new DamagedBodyException(header.body(), stored.place());
    }
  }

  /**
   * A part of a stored body, which is not verified.
   *
   * @throws java.nio.channels.ClosedChannelException if the segment was deleted
   */
  ByteBuffer readPart(StoredBody stored, int offset, int count) throws IOException {
    ByteBuffer part = ByteBuffer.allocate(count);
    fill(part, stored.place().offset() + RecordHeader.BYTES + offset);
    return part;
  }

  private void fill(ByteBuffer to, long from) throws IOException {
    int end = to.limit();
    for (long at = from; to.position() < end; ) {
      to.limit(Math.min(end, to.position() + COPY_BYTES));
      int bytes = channel.read(to, at);
      if (bytes < 0) {
        throw new EOFException(file + " ends at " + at);
      }
      at += bytes;
    }
    to.flip();
  }

  /** Visits the records in order. What is damaged is left out; see {@link SegmentScan}. */
  SegmentScan.Outcome visit(Visitor visitor) throws IOException {
    return new SegmentScan(this).run(visitor);
  }

  /** The header at a place of this segment; empty if there is none. */
  Optional<RecordHeader> header(Place place) throws IOException {
    Optional<RecordHeader.Found> found = found(place.offset());
    return found.isPresent()
        ? found.map(RecordHeader.Found::header)
        : Optional.ofNullable(rescued.get(place.offset()));
  }

  /** The header of a complete record at an offset; empty if there is none. */
  Optional<RecordHeader.Found> found(long offset) throws IOException {
    if (offset + RecordHeader.OVERHEAD_BYTES > size) {
      return Optional.empty();
    }
    return RecordHeader.decode(bytes(offset), new Place(number, offset))
        .filter(found -> offset + found.header().recordBytes() <= size);
  }

  /** The header of a complete record that ends at an offset, by its trailer. */
  Optional<RecordHeader.Found> foundBefore(long end) throws IOException {
    return end < RecordHeader.OVERHEAD_BYTES
        ? Optional.empty()
        : RecordHeader.decodeTrailer(bytes(end - RecordHeader.BYTES), number, end);
  }

  private ByteBuffer bytes(long offset) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(RecordHeader.BYTES);
    fill(bytes, offset);
    return bytes;
  }

  /** Keeps the header of a record that has only its trailer. */
  void rescue(long offset, RecordHeader header) {
    rescued.put(offset, header);
  }

  /** Reads bytes at an offset, which are within the segment. */
  void read(ByteBuffer to, long offset) throws IOException {
    fill(to, offset);
  }

  /**
   * Removes what follows an offset, and makes the rest durable. The rest is written again: it may
   * be in the page cache only, which may have marked it clean after a failed fsync.
   */
  void truncate(long end) throws IOException {
    channel.truncate(end);
    size = end;
    ByteBuffer chunk = ByteBuffer.allocateDirect(COPY_BYTES);
    for (long at = 0; at < end; ) {
      chunk.clear().limit((int) Math.min(COPY_BYTES, end - at));
      fill(chunk, at);
      long begin = at;
      while (chunk.hasRemaining()) {
        at += channel.write(chunk, at);
      }
      assert at > begin;
    }
    channel.force(true);
    durable = end;
  }

  /** Closes the file. Reads that are in progress fail. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
