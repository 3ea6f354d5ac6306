package io.quorate.storage.body;

import io.quorate.common.DurableFiles;
import io.quorate.common.NumberedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of a directory, in the order in which they were written. Only the newest one grows.
 * One thread appends; any thread reads and deletes. Methods block.
 */
final class BodySegments implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BodySegments.class);
  private static final int DIGITS = 16;

  private final Path directory;
  private final NumberedFiles files;
  private final long segmentBytes;
  private final StoreState state;
  private final NavigableMap<Long, BodySegment> segments = new ConcurrentSkipListMap<>();
  private volatile BodySegment newest;

  private BodySegments(Path directory, long segmentBytes, StoreState state) {
    this.directory = directory;
    this.files = NumberedFiles.hexadecimal(directory, DIGITS, ".bodies");
    this.segmentBytes = segmentBytes;
    this.state = state;
  }

  /**
   * Opens the segments and adds their bodies to the index. Every record that is found is durable
   * when the call returns, and what is lost is remembered.
   *
   * @param directory created if it does not exist
   * @param isExpected whether bodies may have been stored before; if nothing is there, they are
   *     lost
   */
  static BodySegments open(Path directory, long segmentBytes, BodyIndex index, boolean isExpected)
      throws IOException {
    Files.createDirectories(directory);
    DurableFiles.syncDirectory(directory.toAbsolutePath().getParent());
    Optional<StoreState> state = StoreState.read(directory);
    BodySegments opened =
        new BodySegments(directory, segmentBytes, state.orElse(StoreState.empty(directory)));
    SegmentRecovery recovery = new SegmentRecovery(opened.segments, opened.state, index);
    try {
      if (state.isEmpty() && (isExpected || !opened.files.numbers().isEmpty())) {
        LOG.error(
            "The file of the state of bodies is missing or damaged: any body may be lost, and has"
                + " to be restored as a complete copy file={}",
            directory.resolve(StoreState.FILE));
        opened.files.numbers().forEach(opened.state::add);
        recovery.lostBefore(new Place(Long.MAX_VALUE, 0));
      }
      opened.openFiles(recovery);
      recovery.run();
      opened.newest = opened.emptyOrNew();
      return opened;
    } catch (IOException | RuntimeException e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private void openFiles(SegmentRecovery recovery) throws IOException {
    List<Long> found = files.numbers();
    NavigableSet<Long> listed = state.segments();
    for (long number : found) {
      if (listed.contains(number)) {
        segments.put(number, BodySegment.open(file(number), number));
      } else if (Files.size(file(number)) == 0 || number < (listed.isEmpty() ? 0 : listed.last())) {
        // A crash came between the two steps of a creation, or of a deletion.
        Files.delete(file(number));
      } else {
        throw new IOException(
            file(number)
                + " is not of this store of bodies: "
                + directory.resolve(StoreState.FILE)
                + " does not name it. Move it away, or start this node with an empty directory.");
      }
    }
    for (long number : listed) {
      if (!segments.containsKey(number)) {
        LOG.error(
            "A file of bodies is missing; its bodies have to be restored, as complete copies"
                + " file={}",
            file(number));
        state.remove(number);
        recovery.lostBefore(new Place(number + 1, 0));
      }
    }
  }

  private Path file(long number) {
    return files.file(number);
  }

  private BodySegment emptyOrNew() throws IOException {
    boolean isLastEmpty = !segments.isEmpty() && segments.lastEntry().getValue().size() == 0;
    return isLastEmpty && !state.isClosed() ? segments.lastEntry().getValue() : create();
  }

  private BodySegment create() throws IOException {
    long number = segments.isEmpty() ? 1 : segments.lastKey() + 1;
    BodySegment created = BodySegment.create(file(number), number);
    state.add(number);
    try {
      state.save();
    } catch (IOException e) {
      state.remove(number);
      created.close();
      throw e;
    }
    segments.put(number, created);
    return created;
  }

  /** What is known to be lost. */
  LostRecords lost() {
    return state.lost();
  }

  /** Makes what is known to be lost durable. */
  void saveLost() throws IOException {
    state.save();
  }

  /**
   * States that what was appended is durable, if it is; itself not durable before {@link #sync}.
   */
  void mark() throws IOException {
    if (newest.size() > 0 && newest.isDurable()) {
      newest.append(RecordHeader.mark(), List.of());
    }
  }

  /**
   * States that the store was closed with everything durable, so that the next start notices what
   * is missing at the end. The segments cannot be appended to afterwards.
   */
  void end() throws IOException {
    if (newest.size() > 0) {
      newest.append(RecordHeader.end(), List.of());
      newest.seal();
    } else {
      state.remove(newest.number());
    }
    state.close();
    state.save();
    if (newest.size() == 0) {
      Files.deleteIfExists(file(newest.number()));
    }
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
    try {
      newest.append(RecordHeader.end(), List.of());
    } catch (IOException e) {
      LOG.warn("A segment of bodies cannot be ended yet; it grows", e);
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
   * remove are gone. If the file cannot be deleted, the segment is still read, and may be deleted
   * again.
   */
  void delete(BodySegment segment) throws IOException {
    state.remove(segment.number());
    boolean isSaved = trySave();
    Files.deleteIfExists(file(segment.number()));
    DurableFiles.syncDirectory(directory);
    segments.remove(segment.number());
    segment.close();
    if (!isSaved) {
      state.save();
    }
  }

  /**
   * A full disk accepts the state only after the file is deleted. A crash between the two makes the
   * file count as lost, and its bodies are restored as complete copies.
   */
  private boolean trySave() {
    try {
      state.save();
      return true;
    } catch (IOException e) {
      LOG.debug("The state of bodies is saved after the deletion of a segment", e);
      return false;
    }
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
