package io.quorate.storage.body;

import io.quorate.common.Budget;
import io.quorate.common.Failpoint;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that appends: writes what was queued since the last fsync, makes it durable with
 * one fsync (group commit), and then adds it to the index.
 */
final class BodyWriter implements Runnable {
  /** The records of a group are written; they are not durable. The subject is their number. */
  static final Failpoint BEFORE_SYNC = Failpoint.named("storage.bodies.before-sync");

  /** The records of a group are durable; their writers have no response. */
  static final Failpoint AFTER_SYNC = Failpoint.named("storage.bodies.after-sync");

  private static final Logger LOG = LoggerFactory.getLogger(BodyWriter.class);
  private static final long GROUP_BYTES_MAX = 32L << 20;

  /** Bodies that are written meanwhile do not wait for all removals of a group. */
  private static final int REMOVALS_AT_A_TIME = 4096;

  private final BlockingQueue<WriterTask> queue = new LinkedBlockingQueue<>();
  private final BodySegments segments;
  private final BodyIndex index;
  private final Budget pending;
  private final long slowSyncNanos;
  private final long idleNanos;
  private final Consumer<Set<Long>> garbage;
  private final Consumer<IOException> failed;
  private volatile Optional<IOException> ended = Optional.empty();
  private volatile boolean hasFailed;
  private boolean closing;

  /** The groups of tasks that this thread has begun, and those of them that it has ended. */
  private volatile long begunGroups;

  private volatile long endedGroups;

  /** The segments that may have new garbage: bodies were removed from them, or they were sealed. */
  private final Set<Long> withGarbage = new HashSet<>();

  /**
   * @param pending released by the bytes of each write that ends
   * @param garbage receives the segments that may have new garbage; must not block
   * @param failed called once if an fsync fails, after all tasks have failed
   */
  BodyWriter(
      BodySegments segments,
      BodyIndex index,
      Budget pending,
      BodyStoreOptions options,
      Consumer<Set<Long>> garbage,
      Consumer<IOException> failed) {
    this.segments = segments;
    this.index = index;
    this.pending = pending;
    this.slowSyncNanos = options.slowSync().toNanos();
    this.idleNanos = options.idle().toNanos();
    this.garbage = garbage;
    this.failed = failed;
  }

  /**
   * Adds or replaces a body. Any thread; does not block.
   *
   * @param bytes its length, which was acquired from the budget
   * @return completes when it is durable
   */
  CompletableFuture<Void> write(BodyId body, List<ByteBuffer> content, long bytes) {
    Write write = new Write(body, content, bytes);
    add(write);
    return write.durable;
  }

  /** Copies a record for a body; has no effect if the body is not at this place any more. */
  CompletableFuture<Void> move(BodyId body, StoredBody from, ByteBuffer content) {
    Move move = new Move(body, from, content);
    add(move);
    return move.durable;
  }

  /** Completes when the body is removed, whether or not a power failure would undo that. */
  CompletableFuture<Void> remove(BodyId body) {
    Removal removal = new Removal(body);
    add(removal);
    return removal.done;
  }

  /**
   * Removes bodies of a group, also those that were queued before.
   *
   * @return completes when they are removed durably, with whether there may be more
   */
  CompletableFuture<Boolean> removeSome(GroupId group) {
    GroupRemoval removal = new GroupRemoval(group);
    add(removal);
    return removal.durable;
  }

  /**
   * Adds those of these bodies that exist to another group, with the same epochs and numbers,
   * unless it has them. The groups share the records, and what is known to be lost.
   *
   * @return completes when they are durable in the other group
   */
  CompletableFuture<Void> link(GroupId from, List<BodyId> bodies, GroupId to, long epochMax) {
    Links links = new Links(from, bodies, to, epochMax);
    add(links);
    return links.durable;
  }

  /**
   * Repeats the record of a removal or of a link, before the present one is deleted; has no effect
   * if the body has a record with its content.
   */
  CompletableFuture<Void> keep(BodyId body) {
    Kept kept = new Kept(body);
    add(kept);
    return kept.durable;
  }

  /** Whether no task is executed any more. */
  boolean hasEnded() {
    return ended.isPresent();
  }

  BodyStorage.Progress progress() {
    // In this order: what has ended has begun.
    long done = endedGroups;
    return new BodyStorage.Progress(begunGroups, done);
  }

  /** Whether what is on the disk is unknown. */
  boolean hasFailed() {
    return hasFailed;
  }

  /** Ends the thread after what was queued before. */
  void close() {
    add(new Close());
  }

  private void add(WriterTask task) {
    queue.add(task);
    ended.ifPresent(this::failQueued);
  }

  @Override
  public void run() {
    List<WriterTask> group = new ArrayList<>();
    try {
      while (!closing) {
        group.clear();
        take(group);
        begunGroups++;
        commit(group);
        endedGroups++;
      }
      end(new IOException("The body store is closed."));
    } catch (IOException e) {
      fail(group, e);
    } catch (RuntimeException | Error e) {
      fail(group, new IOException("The thread of the body store has failed: " + e, e));
    }
  }

  private void fail(List<WriterTask> group, IOException failure) {
    hasFailed = true;
    LOG.error("The store of bodies has failed; no body is written any more", failure);
    group.forEach(task -> task.fail(failure));
    end(failure);
    failed.accept(failure);
  }

  private void end(IOException reason) {
    ended = Optional.of(reason);
    failQueued(reason);
  }

  private void failQueued(IOException reason) {
    for (WriterTask task = queue.poll(); task != null; task = queue.poll()) {
      task.fail(reason);
    }
  }

  private void take(List<WriterTask> group) {
    try {
      group.add(first());
      long bytes = group.get(0).bytes();
      boolean hasDeferred = group.get(0).isDeferred();
      // Nothing else takes tasks while this thread runs.
      for (WriterTask next = queue.peek();
          next != null && bytes < GROUP_BYTES_MAX;
          next = queue.peek()) {
        if (hasDeferred && next.isCopy()) {
          return;
        }
        group.add(queue.remove());
        bytes += next.bytes();
        hasDeferred |= next.isDeferred();
      }
    } catch (InterruptedException e) {
      // Nothing interrupts this thread; its end is a task.
      throw new IllegalStateException(e);
    }
  }

  /** The next task. When there is none for a while, the last records are stated to be durable. */
  private WriterTask first() throws InterruptedException {
    WriterTask first = queue.poll(idleNanos, TimeUnit.NANOSECONDS);
    if (first != null) {
      return first;
    }
    try {
      segments.mark();
    } catch (IOException e) {
      LOG.debug("The last bodies are not stated to be durable", e);
    }
    return queue.take();
  }

  private void commit(List<WriterTask> group) throws IOException {
    List<Runnable> whenDurable = new ArrayList<>(group.size());
    for (WriterTask task : group) {
      try {
        task.append(whenDurable);
      } catch (IOException e) {
        // The disk is full, for example. Other records can be written.
        task.fail(e);
      }
    }
    if (!group.stream().allMatch(WriterTask::isLazy)) {
      sync(group.size());
    }
    whenDurable.forEach(Runnable::run);
    segments.roll().ifPresent(full -> withGarbage.add(full.number()));
    if (!withGarbage.isEmpty()) {
      garbage.accept(Set.copyOf(withGarbage));
      withGarbage.clear();
    }
  }

  private void sync(int records) throws IOException {
    BEFORE_SYNC.reached(records);
    long start = System.nanoTime();
    segments.sync();
    long nanos = System.nanoTime() - start;
    if (nanos >= slowSyncNanos) {
      LOG.warn(
          "An fsync of bodies was slow records={} millis={}",
          records,
          TimeUnit.NANOSECONDS.toMillis(nanos));
    }
    AFTER_SYNC.reached(records);
  }

  private void addGarbage(Optional<Place> record) {
    record.ifPresent(place -> withGarbage.add(place.segment()));
  }

  private final class Write implements WriterTask {
    private final BodyId body;
    private final List<ByteBuffer> content;
    private final long bytes;
    private final CompletableFuture<Void> durable = new CompletableFuture<>();

    Write(BodyId body, List<ByteBuffer> content, long bytes) {
      this.body = body;
      this.content = content;
      this.bytes = bytes;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      StoredBody stored = segments.append(RecordHeader.body(body, content), content);
      whenDurable.add(
          () -> {
            addGarbage(index.put(body, stored));
            pending.release(bytes);
            durable.complete(null);
          });
    }

    @Override
    public void fail(IOException failure) {
      if (durable.completeExceptionally(failure)) {
        pending.release(bytes);
      }
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public boolean isDeferred() {
      return true;
    }

    @Override
    public boolean isCopy() {
      return false;
    }

    @Override
    public boolean isLazy() {
      return false;
    }
  }

  private final class Move extends WriterTask.Copy {
    private final BodyId body;
    private final StoredBody from;
    private final ByteBuffer content;

    Move(BodyId body, StoredBody from, ByteBuffer content) {
      this.body = body;
      this.from = from;
      this.content = content;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      if (!isCurrent()) {
        durable.complete(null);
        return;
      }
      StoredBody to = segments.append(from.header().of(body), List.of(content));
      whenDurable.add(
          () -> {
            if (isCurrent()) {
              index.put(body, to);
            } else {
              // Removed in the same group: the removal must be kept as long as this record.
              index.addDeadRecord(body);
              addGarbage(Optional.of(to.place()));
            }
            durable.complete(null);
          });
    }

    private boolean isCurrent() {
      return index.isAt(body, from.place());
    }

    @Override
    public long bytes() {
      return from.header().length();
    }
  }

  /**
   * The index has the links at once, since a removal of the same group of records must not let the
   * content go. Nobody uses them before they are durable.
   */
  private final class Links extends WriterTask.Copy {
    private final GroupId from;
    private final List<BodyId> bodies;
    private final GroupId to;
    private final long epochMax;

    Links(GroupId from, List<BodyId> bodies, GroupId to, long epochMax) {
      this.from = from;
      this.bodies = bodies;
      this.to = to;
      this.epochMax = epochMax;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      if (segments.lost().link(from, to, body -> body.epoch() <= epochMax)) {
        segments.saveLost();
      }
      for (BodyId body : bodies) {
        Optional<StoredBody> stored = index.get(body);
        BodyId link = body.in(to);
        if (stored.isPresent() && index.get(link).isEmpty()) {
          appendLink(link, stored.get().place());
          index.put(link, stored.get().linked());
        }
      }
      whenDurable.add(() -> durable.complete(null));
    }

    @Override
    public long bytes() {
      return 0;
    }
  }

  private void appendLink(BodyId body, Place to) throws IOException {
    List<ByteBuffer> content = List.of(to.encode());
    segments.append(RecordHeader.link(body, content), content);
  }

  private final class Kept extends WriterTask.Copy {
    private final BodyId body;

    Kept(BodyId body) {
      this.body = body;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      Optional<Place> linked = index.linked(body);
      if (linked.isPresent()) {
        appendLink(body, linked.get());
        // In place of the present one.
        index.addDeadRecord(body);
      } else if (index.get(body).isEmpty()) {
        segments.append(RecordHeader.removal(body), List.of());
      }
      whenDurable.add(() -> durable.complete(null));
    }

    @Override
    public long bytes() {
      return 0;
    }
  }

  /**
   * The bodies stay in the index, for a repetition to find, until the records are durable. A task
   * that writes a body of the group has its effect before, so it is not in the same group of tasks.
   */
  private final class GroupRemoval extends WriterTask.Small {
    private final CompletableFuture<Boolean> durable = new CompletableFuture<>();
    private final GroupId group;

    GroupRemoval(GroupId group) {
      super(true);
      this.group = group;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      List<BodyId> all = index.bodiesOf(group);
      List<BodyId> some = all.subList(0, Math.min(all.size(), REMOVALS_AT_A_TIME));
      for (BodyId body : some) {
        segments.append(RecordHeader.removal(body), List.of());
      }
      whenDurable.add(
          () -> {
            some.forEach(body -> addGarbage(index.remove(body)));
            segments.lost().removeAll(group);
            durable.complete(some.size() < all.size());
          });
    }

    @Override
    public void fail(IOException failure) {
      durable.completeExceptionally(failure);
    }

    @Override
    public boolean isCopy() {
      return true;
    }
  }

  private final class Removal extends WriterTask.Small {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final BodyId body;

    Removal(BodyId body) {
      super(false);
      this.body = body;
    }

    @Override
    public void append(List<Runnable> whenDurable) throws IOException {
      addGarbage(index.remove(body));
      segments.lost().remove(body);
      // Again, after writes of the same group that precede it.
      whenDurable.add(
          () -> {
            addGarbage(index.remove(body));
            done.complete(null);
          });
      segments.append(RecordHeader.removal(body), List.of());
    }

    @Override
    public void fail(IOException failure) {
      LOG.warn("A removed body returns with the next start body={}", body, failure);
      done.completeExceptionally(failure);
    }
  }

  private final class Close extends WriterTask.Small {
    Close() {
      super(false);
    }

    @Override
    public void append(List<Runnable> whenDurable) {
      closing = true;
    }

    @Override
    public void fail(IOException failure) {
      // The thread has ended.
    }
  }
}
