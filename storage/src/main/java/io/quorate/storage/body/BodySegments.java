package io.quorate.storage.body;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of a directory, in the order in which they were written. Only the newest one grows.
 * One thread appends; any thread reads and deletes. Methods block.
 */
final class BodySegments implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BodySegments.class);
  private static final Pattern NAME = Pattern.compile("([0-9a-f]{16})\\.bodies");

  private final Path directory;
  private final long segmentBytes;
  private final NavigableMap<Long, BodySegment> segments = new ConcurrentSkipListMap<>();
  private volatile BodySegment newest;

  private BodySegments(Path directory, long segmentBytes) {
    this.directory = directory;
    this.segmentBytes = segmentBytes;
  }

  /**
   * Opens the segments and adds their bodies to the index. Every record that is found is durable
   * when the call returns.
   *
   * @param directory created if it does not exist
   */
  static BodySegments open(Path directory, long segmentBytes, BodyIndex index) throws IOException {
    Files.createDirectories(directory);
    DurableFiles.syncDirectory(directory.toAbsolutePath().getParent());
    BodySegments opened = new BodySegments(directory, segmentBytes);
    try {
      for (long number : opened.numbers()) {
        opened.segments.put(number, BodySegment.open(opened.file(number), number));
      }
      for (BodySegment segment : opened.segments.values()) {
        opened.recover(segment, index);
      }
      opened.newest = opened.emptyOrNew();
      return opened;
    } catch (IOException | RuntimeException e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private List<Long> numbers() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> NAME.matcher(file.getFileName().toString()))
          .filter(Matcher::matches)
          .map(name -> Long.parseLong(name.group(1), 16))
          .sorted()
          .toList();
    }
  }

  private Path file(long number) {
    return directory.resolve(String.format("%016x.bodies", number));
  }

  private void recover(BodySegment segment, BodyIndex index) throws IOException {
    // Only the last segment may have records that were not synced: they are complete or torn.
    boolean isLast = segment == segments.lastEntry().getValue();
    long end =
        segment.visit(
            (place, header) -> {
              StoredBody stored = new StoredBody(place, header);
              if (header.kind() == RecordHeader.Kind.REMOVAL) {
                index.remove(header.body());
              } else if (!isLast || isIntact(segment, stored)) {
                index.put(stored);
              }
            });
    if (isLast) {
      segment.truncate(end);
    } else if (end < segment.size()) {
      LOG.error(
          "A segment of bodies is damaged; the bodies behind are lost and have to be reconstructed"
              + " segment={} from={} bytes={}",
          segment.number(),
          end,
          segment.size() - end);
    }
  }

  private static boolean isIntact(BodySegment segment, StoredBody stored) throws IOException {
    try {
      segment.read(stored);
      return true;
    } catch (DamagedBodyException e) {
      return false;
    }
  }

  private BodySegment emptyOrNew() throws IOException {
    boolean isLastEmpty = !segments.isEmpty() && segments.lastEntry().getValue().size() == 0;
    return isLastEmpty ? segments.lastEntry().getValue() : create();
  }

  private BodySegment create() throws IOException {
    long number = segments.isEmpty() ? 1 : segments.lastKey() + 1;
    BodySegment created = BodySegment.create(file(number), number);
    segments.put(number, created);
    return created;
  }

  /**
   * Appends to the newest segment; the record is not durable before {@link #sync}.
   *
   * @param content consumed by the call
   * @throws IOException if the record could not be written; others can be
   */
  StoredBody append(RecordHeader header, List<ByteBuffer> content) throws IOException {
    return newest.append(header, content);
  }

  /** Makes the appended records durable. After a failure what is on the disk is unknown. */
  void sync() throws IOException {
    newest.sync();
  }

  /**
   * Seals the newest segment and continues with a new one, if it is large enough. If there is no
   * space for another one, it continues to grow.
   *
   * @throws IOException as {@link #sync}
   */
  void roll() throws IOException {
    if (newest.size() < segmentBytes) {
      return;
    }
    // Only the last segment may end with records that are not durable.
    newest.sync();
    try {
      newest = create();
    } catch (IOException e) {
      LOG.warn("A new segment of bodies cannot be created yet; the last one grows", e);
    }
  }

  /** The content of a body; empty if its segment was deleted. */
  Optional<ByteBuffer> read(StoredBody stored) throws IOException {
    BodySegment segment = segments.get(stored.place().segment());
    if (segment == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(segment.read(stored));
    } catch (ClosedChannelException e) {
      return Optional.empty();
    }
  }

  /** The segments that do not grow any more, the oldest first. */
  List<BodySegment> sealed() {
    BodySegment growing = newest;
    return segments.values().stream().filter(each -> each.number() < growing.number()).toList();
  }

  /** Those of these segments that exist and do not grow any more. */
  List<BodySegment> sealed(Collection<Long> numbers) {
    BodySegment growing = newest;
    return numbers.stream()
        .filter(number -> number < growing.number())
        .flatMap(number -> Optional.ofNullable(segments.get(number)).stream())
        .toList();
  }

  boolean isOldest(BodySegment segment) {
    return segments.firstKey() == segment.number();
  }

  /** Deletes a segment. */
  void delete(BodySegment segment) throws IOException {
    segments.remove(segment.number());
    segment.delete();
  }

  /** The bytes of all segments. */
  long bytes() {
    return segments.values().stream().mapToLong(BodySegment::size).sum();
  }

  private void closeAfter(Exception failure) {
    try {
      close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (BodySegment segment : segments.values()) {
      segment.close();
    }
  }
}
