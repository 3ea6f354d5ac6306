package io.quorate.storage.body;

import io.quorate.common.Budget;
import io.quorate.common.Threads;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The bodies of large values of all regions of a node: each is written once, durable and
 * checksummed, beside the consensus log and the rows. The owner knows which bodies are referenced
 * and removes the others.
 *
 * <p>Thread-safe. A thread that reads must not be interrupted, which would close a segment.
 */
public final class BodyStore implements BodyStorage, AutoCloseable {
  /** The maximum length of a body in bytes. */
  public static final int BODY_BYTES_MAX = 1 << 30;

  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  /** Bodies that are written meanwhile do not wait for all links of a region. */
  private static final int LINKS_AT_A_TIME = 4096;

  private final BodyIndex index;
  private final BodySegments segments;
  private final Budget pending;

  /** The regions that began with the bodies of others since the store was opened. */
  private final Set<GroupId> linked = new HashSet<>();

  private final BodyWriter writer;
  private final BodyCompaction compaction;
  private final Thread writerThread;
  private final ExecutorService compactionThread =
      Executors.newSingleThreadExecutor(Threads.named("quorate-body-compaction"));

  private BodyStore(
      BodyIndex index,
      BodySegments segments,
      BodyStoreOptions options,
      Consumer<IOException> failed) {
    this.index = index;
    this.segments = segments;
    this.pending = new Budget(options.pendingBodiesMax(), options.pendingBytesMax());
    this.writer = new BodyWriter(segments, index, pending, options, this::garbageIn, failed);
    this.compaction = new BodyCompaction(segments, index, writer, options.liveShareMin());
    this.writerThread = Threads.named("quorate-bodies").newThread(writer);
  }

  /**
   * Opens a store. Blocks: reads the header of each body, and the newest segment in full. Records
   * that are lost are logged, with the file, and remembered: see {@link #mayHaveLost}.
   *
   * @param directory of this store alone; created if it does not exist
   * @param isExpected whether bodies may have been stored before, so that they are lost if nothing
   *     is there
   * @param failed called once, on the thread of the store, when an fsync fails: no body is written
   *     any more, and what is on the disk is unknown until the store is opened again (P1); must not
   *     close the store
   */
  public static BodyStore open(
      Path directory, boolean isExpected, BodyStoreOptions options, Consumer<IOException> failed)
      throws IOException {
    BodyIndex index = new BodyIndex();
    BodySegments segments = BodySegments.open(directory, options.segmentBytes(), index, isExpected);
    BodyStore store = new BodyStore(index, segments, options, failed);
    store.writerThread.start();
    store.scheduleCompaction(segments.sealed());
    return store;
  }

  /** As {@link #open(Path, boolean, BodyStoreOptions, Consumer)}, of a store that may be new. */
  public static BodyStore open(
      Path directory, BodyStoreOptions options, Consumer<IOException> failed) throws IOException {
    return open(directory, false, options, failed);
  }

  /**
   * Adds a body, or replaces it. Does not block.
   *
   * @param content the parts of the content, which must not change until the future completes; they
   *     are not copied
   * @return completes when the body is durable, on the thread of the store, which must not be
   *     blocked. Fails with {@link ConsensusException.Overloaded} if too many bodies are pending,
   *     and with an {@link IOException} if the body could not be written: it may be in the store
   *     after the next start, or not.
   * @throws IllegalArgumentException if the content is longer than {@link #BODY_BYTES_MAX}
   */
  @Override
  public CompletableFuture<Void> put(BodyId body, List<ByteBuffer> content) {
    long bytes = content.stream().mapToLong(ByteBuffer::remaining).sum();
    if (bytes > BODY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "A body has at most " + BODY_BYTES_MAX + " bytes, not " + bytes + ".");
    }
    if (!pending.tryAcquireAnySizeAlone(bytes)) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Overloaded(
              "Too many bodies of large values wait for the disk.", RETRY_AFTER));
    }
    List<ByteBuffer> parts = content.stream().map(ByteBuffer::duplicate).toList();
    // The caller cannot complete the original future.
    return writer.write(body, parts, bytes).copy();
  }

  /**
   * The content of a body; empty if there is none that is durable. Blocks on the disk.
   *
   * @throws DamagedBodyException if the content is not what was written; {@link #put} replaces it
   */
  @Override
  public Optional<ByteBuffer> get(BodyId body) throws IOException {
    for (Optional<StoredBody> at = index.get(body); at.isPresent(); at = index.get(body)) {
      StoredBody stored = at.get();
      Optional<ByteBuffer> content = read(body, stored, segment -> segment.read(stored));
      if (content.isPresent()) {
        return content;
      }
      // Moved by a compaction meanwhile.
    }
    return Optional.empty();
  }

  @Override
  public void verify(BodyId body) throws IOException {
    for (Optional<StoredBody> at = index.get(body); at.isPresent(); at = index.get(body)) {
      StoredBody stored = at.get();
      Optional<ByteBuffer> verified =
          read(
              body,
              stored,
              segment -> {
                segment.verify(stored);
                return ByteBuffer.allocate(0);
              });
      if (verified.isPresent()) {
        return;
      }
      // Moved by a compaction meanwhile.
    }
  }

  /** Reads, and remembers damage. */
  private Optional<ByteBuffer> read(BodyId body, StoredBody stored, BodySegments.Read read)
      throws IOException {
    try {
      return segments.read(stored, read);
    } catch (DamagedBodyException e) {
      if (index.isAt(body, stored.place())) {
        segments.lost().add(body);
      }
      throw e;
    }
  }

  @Override
  public Optional<Part> part(BodyId body, int offset, int length) throws IOException {
    for (Optional<StoredBody> at = index.get(body); at.isPresent(); at = index.get(body)) {
      StoredBody stored = at.get();
      int total = stored.header().length();
      int begin = Math.min(offset, total);
      int count = Math.min(length, total - begin);
      Optional<ByteBuffer> bytes =
          segments.read(stored, segment -> segment.readPart(stored, begin, count));
      if (bytes.isPresent()) {
        return Optional.of(new Part(total, bytes.get()));
      }
      // Moved by a compaction meanwhile.
    }
    return Optional.empty();
  }

  /** Whether a body is durable, and not removed. Does not block. */
  @Override
  public boolean contains(BodyId body) {
    return index.get(body).isPresent();
  }

  /** The length in bytes of a body that is durable, and not removed. Does not block. */
  @Override
  public OptionalInt length(BodyId body) {
    return index.get(body).stream().mapToInt(stored -> stored.header().length()).findFirst();
  }

  @Override
  public Progress progress() {
    return writer.progress();
  }

  /** Whether the body is one of those, or may be one whose records are all lost. */
  @Override
  public boolean mayHaveLost(BodyId body) {
    LostRecords lost = segments.lost();
    return lost.contains(body) || lost.areSomeUnknown() && !contains(body);
  }

  @Override
  public boolean hasLost(BodyId body) {
    return segments.lost().contains(body);
  }

  @Override
  public void restored(BodyId body) {
    segments.lost().remove(body);
  }

  /** The bodies of a region that are known to have lost records. Does not block. */
  public List<BodyId> lostOf(GroupId group) {
    return segments.lost().of(group);
  }

  /** The number of bodies of all regions that are known to have lost records. Does not block. */
  public int lost() {
    return segments.lost().size();
  }

  /** The regions that have bodies, or are known to have lost records of some. Does not block. */
  public Set<GroupId> groups() {
    Set<GroupId> groups = new TreeSet<>(index.groups());
    groups.addAll(segments.lost().groups());
    return groups;
  }

  /** All bodies of a region, which must not be many. Does not block. */
  public List<BodyId> bodiesOf(GroupId group) {
    return index.first(group, Integer.MAX_VALUE);
  }

  /**
   * The first bodies of a region, in the order of epochs and numbers. Has those that are there
   * during the whole call, and perhaps some that are added or removed meanwhile. Does not block.
   */
  public List<BodyId> first(GroupId group, int bodiesMax) {
    return index.first(group, bodiesMax);
  }

  /** As {@link #first}, those of its region that follow a body, which need not exist. */
  public List<BodyId> after(BodyId body, int bodiesMax) {
    return index.after(body, bodiesMax);
  }

  /**
   * How many bodies were ever added to a region, without those that replaced another one. Does not
   * block.
   */
  public long addedTo(GroupId group) {
    return index.addedTo(group);
  }

  /** The bytes of the bodies of a region, with their headers. Does not block. */
  public long bytesOf(GroupId group) {
    return index.bytesOf(group);
  }

  /**
   * Adds the bodies of one region that are durable to another one, which begins with its state,
   * under the same epochs and numbers: those that the other one does not have. Nothing is copied,
   * and either region removes its own without an effect on the other. Does not block.
   *
   * @param epochMax the greatest epoch of a body to be added; the ids of later ones are not those
   *     of bodies of the other region
   * @return completes when the other region has them durably, on a thread that must not be blocked.
   *     Fails with an {@link IOException} if that could not be written, for example because the
   *     disk is full: the other region may have some of them, and the call may be repeated.
   */
  public CompletableFuture<Void> link(GroupId from, GroupId to, long epochMax) {
    synchronized (linked) {
      linked.add(to);
    }
    return link(from, index.first(from, LINKS_AT_A_TIME), to, epochMax).copy();
  }

  /** Links some bodies, also none: there may be lost ones. Then those that follow. */
  private CompletableFuture<Void> link(GroupId from, List<BodyId> some, GroupId to, long epochMax) {
    List<BodyId> wanted = some.stream().filter(body -> body.epoch() <= epochMax).toList();
    CompletableFuture<Void> linked = writer.link(from, wanted, to, epochMax);
    if (some.size() < LINKS_AT_A_TIME) {
      return linked;
    }
    BodyId last = some.get(some.size() - 1);
    return linked.thenCompose(done -> link(from, index.after(last, LINKS_AT_A_TIME), to, epochMax));
  }

  /**
   * Removes bodies soon; their space is returned later. A power failure or a full disk may undo it
   * with the next start. Does not block.
   *
   * @return completes when they are removed, on a thread that must not be blocked
   */
  public CompletableFuture<Void> remove(Collection<BodyId> bodies) {
    return allOf(bodies, writer::remove);
  }

  /**
   * Removes the bodies of a region of which this node has no replica any more, also those that wait
   * for their fsync; their space is returned later. Does not block.
   *
   * @return completes when they are removed durably, on a thread that must not be blocked. Fails
   *     with an {@link IOException} if a removal could not be written, for example because the disk
   *     is full: some of the bodies are there still, and the call may be repeated.
   */
  public CompletableFuture<Void> removeAll(GroupId group) {
    synchronized (linked) {
      linked.remove(group);
    }
    return removeUnlessLinked(group);
  }

  /**
   * As {@link #removeAll}, but has no effect on a region to which bodies of another one were
   * {@linkplain #link linked} since the store was opened: its state may be about to begin. A link
   * that is requested later has its full effect.
   */
  public CompletableFuture<Void> removeUnlessLinked(GroupId group) {
    CompletableFuture<Boolean> removed;
    synchronized (linked) {
      if (linked.contains(group)) {
        return CompletableFuture.completedFuture(null);
      }
      // Queued before the tasks of any link that follows.
      removed = writer.removeSome(group);
    }
    return removed.thenCompose(
        more -> more ? removeUnlessLinked(group) : CompletableFuture.<Void>completedFuture(null));
  }

  private static CompletableFuture<Void> allOf(
      Collection<BodyId> bodies, Function<BodyId, CompletableFuture<Void>> removal) {
    return CompletableFuture.allOf(bodies.stream().map(removal).toArray(CompletableFuture[]::new));
  }

  /** Whether no body is written or removed any more, because an fsync failed. Does not block. */
  public boolean hasFailed() {
    return writer.hasEnded();
  }

  /** The number of bodies of all regions. Does not block. */
  public int size() {
    return index.size();
  }

  /**
   * The bytes of heap that is taken by what is known of each body: where it is, and what is removed
   * or lost of it; as estimated, in a JVM with compressed references.
   */
  public long heapBytes() {
    return index.heapBytes() + segments.lost().heapBytes();
  }

  /** The bytes of the bodies, with their headers; those of a shared record count for each body. */
  public long liveBytes() {
    return index.liveBytes();
  }

  /** The bytes of all files. */
  public long fileBytes() {
    return segments.bytes();
  }

  private void garbageIn(Set<Long> numbers) {
    scheduleCompaction(segments.sealed(numbers));
  }

  private void scheduleCompaction(Collection<BodySegment> candidates) {
    if (compaction.isToBeScheduled(candidates)) {
      try {
        compactionThread.execute(compaction);
      } catch (RejectedExecutionException e) {
        // The store is closing.
      }
    }
  }

  /** Writes what was queued, and closes the files. Blocks. No call may be made afterwards. */
  @Override
  public void close() throws IOException {
    compactionThread.shutdown();
    Threads.awaitEnd(compactionThread);
    writer.close();
    Threads.awaitEnd(writerThread);
    try {
      if (!writer.hasFailed()) {
        segments.end();
      }
    } finally {
      segments.close();
    }
  }
}
