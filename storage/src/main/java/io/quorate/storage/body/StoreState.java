package io.quorate.storage.body;

import io.quorate.common.Checksums;
import io.quorate.common.DurableFiles;
import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import io.quorate.storage.body.SegmentScan.Gap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a store knows of its segments outside of them, in a file that is replaced as a whole: which
 * there are, what of them is known to be missing, and which bodies may have lost records. So a
 * segment that is gone is noticed, and a loss is remembered after the bytes that showed it are
 * gone. A line for each:
 *
 * <pre>
 * format 1
 * segment NUMBER
 * gap SEGMENT FROM TO
 * lost GROUP EPOCH NUMBER
 * lost-unknown
 * closed
 * checksum CRC32C
 * </pre>
 *
 * <p>Thread-safe. {@link #save} blocks.
 */
final class StoreState {
  static final String FILE = "segments.state";
  private static final String FORMAT = "format 1";
  private static final String CHECKSUM = "checksum ";

  private final Path file;
  private final LostRecords lost = new LostRecords();

  /** Guarded by this, as are the fields below. */
  private final NavigableSet<Long> segments = new TreeSet<>();

  private final NavigableMap<Long, Set<Gap>> gaps = new TreeMap<>();
  private boolean closed;

  private StoreState(Path file) {
    this.file = file;
  }

  /** The state of a store that has no segments yet. */
  static StoreState empty(Path directory) {
    return new StoreState(directory.resolve(FILE));
  }

  /**
   * Reads the state of a store.
   *
   * @return empty if there is no file, or if it is damaged: then everything may be lost
   * @throws IOException if the file cannot be read, or has another format
   */
  static Optional<StoreState> read(Path directory) throws IOException {
    StoreState state = empty(directory);
    if (!Files.exists(state.file)) {
      return Optional.empty();
    }
    String content = Files.readString(state.file, StandardCharsets.ISO_8859_1);
    int end = content.lastIndexOf(CHECKSUM);
    if (end < 0 || !content.substring(end).equals(checksum(content.substring(0, end)))) {
      return Optional.empty();
    }
    String[] lines = content.substring(0, end).split("\n", -1);
    if (!lines[0].equals(FORMAT)) {
      throw new IOException(
          state.file
              + " has the \""
              + lines[0]
              + "\", and this program reads \""
              + FORMAT
              + "\". Start this node with the program that wrote the file.");
    }
    try {
      for (String line : lines) {
        state.readLine(line.split(" "));
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
    return Optional.of(state);
  }

  private void readLine(String[] words) {
    switch (words[0]) {
      case "segment" -> segments.add(Long.parseLong(words[1]));
      case "gap" ->
          addGap(
              Long.parseLong(words[1]),
              new Gap(Long.parseLong(words[2]), Long.parseLong(words[3])));
      case "lost" ->
          lost.add(
              new BodyId(
                  new GroupId(Integer.parseInt(words[1])),
                  Long.parseLong(words[2]),
                  Long.parseLong(words[3])));
      case "lost-unknown" -> lost.addUnknown();
      case "closed" -> closed = true;
      default -> {}
    }
  }

  private static String checksum(String content) {
    return CHECKSUM + Checksums.of(content) + "\n";
  }

  /** Makes the present state durable. */
  synchronized void save() throws IOException {
    StringBuilder lines = new StringBuilder(FORMAT).append('\n');
    segments.forEach(number -> lines.append("segment ").append(number).append('\n'));
    gaps.forEach((segment, of) -> of.forEach(gap -> append(lines, segment, gap)));
    lost.visit(body -> append(lines, body));
    if (lost.areSomeUnknown()) {
      lines.append("lost-unknown\n");
    }
    if (closed) {
      lines.append("closed\n");
    }
    DurableFiles.replace(
        file, file.resolveSibling(FILE + ".draft"), ByteBuffer.wrap(encoded(lines.toString())));
  }

  /** Lines with their checksum. */
  static byte[] encoded(String lines) {
    return (lines + checksum(lines)).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void append(StringBuilder lines, long segment, Gap gap) {
    lines.append("gap ").append(segment).append(' ').append(gap.from());
    lines.append(' ').append(gap.to()).append('\n');
  }

  private static void append(StringBuilder lines, BodyId body) {
    lines.append("lost ").append(body.group().value()).append(' ').append(body.epoch());
    lines.append(' ').append(body.number()).append('\n');
  }

  LostRecords lost() {
    return lost;
  }

  /** The segments that have to be there. */
  synchronized NavigableSet<Long> segments() {
    return new TreeSet<>(segments);
  }

  /** Adds a segment, before anything is written to it. */
  synchronized void add(long segment) {
    segments.add(segment);
    closed = false;
  }

  /** Removes a segment, before its file is deleted. */
  synchronized void remove(long segment) {
    segments.remove(segment);
    gaps.remove(segment);
  }

  /**
   * Adds a gap.
   *
   * @return whether it was unknown
   */
  synchronized boolean addGap(long segment, Gap gap) {
    return gaps.computeIfAbsent(segment, number -> new TreeSet<>(Gap.ORDER)).add(gap);
  }

  /** Whether the store was closed, so that no segment may lack its end. */
  synchronized boolean isClosed() {
    return closed;
  }

  synchronized void close() {
    closed = true;
  }
}
