package io.quorate.storage.body;

import io.quorate.common.DurableFiles;
import io.quorate.consensus.BodyId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
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
      long last = opened.lastWithRecords();
      for (BodySegment segment : opened.segments.values()) {
        if (segment.number() < last) {
          opened.recoverSealed(segment, index);
        } else {
          opened.recoverLast(segment, index);
        }
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
    return directory.resolve(String.format(Locale.ROOT, "%016x.bodies", number));
  }

  /** A power failure during the creation of a segment may leave an empty one behind the last. */
  private long lastWithRecords() {
    return segments.values().stream()
        .filter(segment -> segment.size() > 0)
        .mapToLong(BodySegment::number)
        .max()
        .orElse(0);
  }

  private void recoverSealed(BodySegment segment, BodyIndex index) throws IOException {
    long end = segment.visit((place, header) -> recover(new StoredBody(place, header), index));
    if (end < segment.size()) {
      LOG.error(
          "A segment of bodies is damaged; the bodies behind are lost and have to be reconstructed"
              + " segment={} from={} bytes={}",
          segment.number(),
          end,
          segment.size() - end);
    }
  }

  private void recover(StoredBody stored, BodyIndex index) throws IOException {
    BodyId body = stored.header().body();
    switch (stored.header().kind()) {
      case BODY -> index.put(body, stored);
      case REMOVAL -> index.remove(body);
      case LINK -> {
        Optional<StoredBody> target = target(stored);
        if (target.isPresent()) {
          index.put(body, target.get());
        } else {
          index.addDeadRecord(body);
        }
      }
    }
  }

  /** The record with the content of a link; empty if it was moved, and the link superseded. */
  private Optional<StoredBody> target(StoredBody link) throws IOException {
    try {
      Place to = Place.decode(segments.get(link.place().segment()).read(link));
      BodySegment segment = segments.get(to.segment());
      return segment == null
          ? Optional.empty()
          : segment.header(to).map(header -> new StoredBody(to, header).linked());
    } catch (DamagedBodyException e) {
      LOG.warn("The body of a damaged link is lost and has to be reconstructed", e);
      return Optional.empty();
    }
  }

  /** Only the last segment may have records that were not synced: they are complete or torn. */
  private void recoverLast(BodySegment segment, BodyIndex index) throws IOException {
    List<StoredBody> torn = new ArrayList<>();
    long end =
        segment.visit(
            (place, header) -> {
              StoredBody stored = new StoredBody(place, header);
              if (header.kind() != RecordHeader.Kind.REMOVAL && !isIntact(segment, stored)) {
                torn.add(stored);
              } else {
                recover(stored, index);
              }
            });
    segment.truncate(end);
    for (StoredBody each : torn) {
      supersede(each, segment, index);
    }
    segment.sync();
  }

  private static boolean isIntact(BodySegment segment, StoredBody stored) throws IOException {
    try {
      segment.read(stored);
      return true;
    } catch (DamagedBodyException e) {
      return false;
    }
  }

  /**
   * Repeats what is known of a body behind a torn record of it. The next start finds that record in
   * a sealed segment and does not verify it.
   */
  private void supersede(StoredBody torn, BodySegment last, BodyIndex index) throws IOException {
    BodyId body = torn.header().body();
    Optional<StoredBody> surviving = index.get(body);
    if (surviving.isEmpty()) {
      last.append(RecordHeader.removal(body), List.of());
    } else if (surviving.get().place().compareTo(torn.place()) < 0) {
      BodySegment from = segments.get(surviving.get().place().segment());
      try {
        ByteBuffer content = from.read(surviving.get());
        index.put(body, last.append(surviving.get().header().of(body), List.of(content)));
      } catch (DamagedBodyException e) {
        LOG.warn("Both records of a body are damaged", e);
      }
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
   * @return the segment that was sealed
   * @throws IOException as {@link #sync}
   */
  Optional<BodySegment> roll() throws IOException {
    if (newest.size() < segmentBytes) {
      return Optional.empty();
    }
    // Only the last segment may end with records that are not durable.
    newest.seal();
    BodySegment full = newest;
    try {
      newest = create();
      return Optional.of(full);
    } catch (IOException e) {
      LOG.warn("A new segment of bodies cannot be created yet; the last one grows", e);
      return Optional.empty();
    }
  }

  /** Reads from a segment. */
  interface Read {
    ByteBuffer from(BodySegment segment) throws IOException;
  }

  /** Reads a body, or a part of one; empty if its segment was deleted. */
  Optional<ByteBuffer> read(StoredBody stored, Read read) throws IOException {
    BodySegment segment = segments.get(stored.place().segment());
    if (segment == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(read.from(segment));
    } catch (ClosedChannelException e) {
      if (segments.containsKey(segment.number())) {
        // The store was closed, or the thread interrupted.
        throw e;
      }
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

  /**
   * Deletes a segment durably, since records of removals are dropped when the bodies that they
   * remove are gone. If this fails, the segment is still read, and may be deleted again.
   */
  void delete(BodySegment segment) throws IOException {
    Files.deleteIfExists(file(segment.number()));
    DurableFiles.syncDirectory(directory);
    segments.remove(segment.number());
    segment.close();
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
