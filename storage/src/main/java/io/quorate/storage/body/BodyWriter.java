package io.quorate.storage.body;

import io.quorate.common.Budget;
import io.quorate.common.Failpoint;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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

  private final BlockingQueue<WriterTask> queue = new LinkedBlockingQueue<>();
  private final WriterState state;
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
    this.state = new WriterState(segments, index);
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
    BodyWrite write = new BodyWrite(state, pending, body, content, bytes);
    add(write);
    return write.durable();
  }

  /** Copies a record for a body; has no effect if the body is not at this place any more. */
  CompletableFuture<Void> move(BodyId body, StoredBody from, ByteBuffer content) {
    return copied(new BodyCopy.Move(state, body, from, content));
  }

  /** Completes when the body is removed, whether or not a power failure would undo that. */
  CompletableFuture<Void> remove(BodyId body) {
    BodyRemoval.Single removal = new BodyRemoval.Single(state, body);
    add(removal);
    return removal.done();
  }

  /**
   * Removes bodies of a group, also those that were queued before.
   *
   * @return completes when they are removed durably, with whether there may be more
   */
  CompletableFuture<Boolean> removeSome(GroupId group) {
    BodyRemoval.OfGroup removal = new BodyRemoval.OfGroup(state, group);
    add(removal);
    return removal.durable();
  }

  /**
   * Adds those of these bodies that exist to another group, with the same epochs and numbers,
   * unless it has them. The groups share the records, and what is known to be lost.
   *
   * @return completes when they are durable in the other group
   */
  CompletableFuture<Void> link(GroupId from, List<BodyId> bodies, GroupId to, long epochMax) {
    return copied(new BodyCopy.Links(state, from, bodies, to, epochMax));
  }

  /**
   * Repeats the record of a removal or of a link, before the present one is deleted; has no effect
   * if the body has a record with its content.
   */
  CompletableFuture<Void> keep(BodyId body) {
    return copied(new BodyCopy.Kept(state, body));
  }

  private CompletableFuture<Void> copied(BodyCopy copy) {
    add(copy);
    return copy.durable();
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
      state.segments().mark();
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
    state.segments().roll().ifPresent(full -> state.hasGarbage(full.number()));
    Set<Long> withGarbage = state.takeGarbage();
    if (!withGarbage.isEmpty()) {
      garbage.accept(withGarbage);
    }
  }

  private void sync(int records) throws IOException {
    BEFORE_SYNC.reached(records);
    long start = System.nanoTime();
    state.segments().sync();
    long nanos = System.nanoTime() - start;
    if (nanos >= slowSyncNanos) {
      LOG.warn(
          "An fsync of bodies was slow records={} millis={}",
          records,
          TimeUnit.NANOSECONDS.toMillis(nanos));
    }
    AFTER_SYNC.reached(records);
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
