package io.quorate.storage.body;

import io.quorate.common.Budget;
import io.quorate.common.Failpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
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

  /** Work for the thread. */
  sealed interface Task {
    /** Adds or replaces a body. */
    record Write(BodyId body, List<ByteBuffer> content, long bytes, CompletableFuture<Void> durable)
        implements Task {}

    /** Copies a body that is still at a place; has no effect otherwise. */
    record Move(StoredBody from, ByteBuffer content, CompletableFuture<Void> durable)
        implements Task {}

    record Remove(BodyId body) implements Task {}

    /** Removes a body once more, before the record of its removal is deleted. */
    record KeepRemoval(BodyId body, CompletableFuture<Void> durable) implements Task {}

    record Close() implements Task {}
  }

  private final BlockingQueue<Task> queue = new LinkedBlockingQueue<>();
  private final BodySegments segments;
  private final BodyIndex index;
  private final Budget pending;
  private final long slowSyncNanos;
  private final Consumer<Set<Long>> garbage;
  private final Consumer<IOException> failed;
  private volatile Optional<IOException> ended = Optional.empty();
  private boolean closing;

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
      Duration slowSync,
      Consumer<Set<Long>> garbage,
      Consumer<IOException> failed) {
    this.segments = segments;
    this.index = index;
    this.pending = pending;
    this.slowSyncNanos = slowSync.toNanos();
    this.garbage = garbage;
    this.failed = failed;
  }

  /** Queues a task; it fails if the thread has ended. Any thread; does not block. */
  void add(Task task) {
    queue.add(task);
    ended.ifPresent(this::failQueued);
  }

  @Override
  public void run() {
    List<Task> group = new ArrayList<>();
    try {
      while (!closing) {
        group.clear();
        take(group);
        commit(group);
      }
      end(new IOException("The body store is closed."));
    } catch (IOException e) {
      fail(group, e);
    } catch (RuntimeException | Error e) {
      fail(group, new IOException("The thread of the body store has failed: " + e, e));
    }
  }

  private void fail(List<Task> group, IOException failure) {
    LOG.error("The store of bodies has failed; no body is written any more", failure);
    group.forEach(task -> fail(task, failure));
    end(failure);
    failed.accept(failure);
  }

  private void end(IOException reason) {
    ended = Optional.of(reason);
    failQueued(reason);
  }

  private void failQueued(IOException reason) {
    for (Task task = queue.poll(); task != null; task = queue.poll()) {
      fail(task, reason);
    }
  }

  private void take(List<Task> group) {
    try {
      group.add(queue.take());
      long bytes = bytes(group.get(0));
      boolean hasWrite = group.get(0) instanceof Task.Write;
      // Nothing else takes tasks while this thread runs.
      for (Task next = queue.peek(); next != null && bytes < GROUP_BYTES_MAX; next = queue.peek()) {
        if (hasWrite && isCopy(next)) {
          return;
        }
        group.add(queue.remove());
        bytes += bytes(next);
        hasWrite |= next instanceof Task.Write;
      }
    } catch (InterruptedException e) {
      // Nothing interrupts this thread; its end is a task.
      throw new IllegalStateException(e);
    }
  }

  /**
   * Whether a task repeats the present state of a body. It must not follow a write of that body
   * which is not in the index yet.
   */
  private static boolean isCopy(Task task) {
    return task instanceof Task.Move || task instanceof Task.KeepRemoval;
  }

  private static long bytes(Task task) {
    if (task instanceof Task.Write write) {
      return write.bytes();
    }
    return task instanceof Task.Move move ? move.content().remaining() : 0;
  }

  private void commit(List<Task> group) throws IOException {
    List<Runnable> whenDurable = new ArrayList<>(group.size());
    for (Task task : group) {
      try {
        write(task, whenDurable);
      } catch (IOException e) {
        // The disk is full, for example. Other records can be written.
        fail(task, e);
      }
    }
    // A removal may be lost: its owner removes the body again.
    if (group.stream().anyMatch(task -> !(task instanceof Task.Remove))) {
      sync(group.size());
    }
    whenDurable.forEach(Runnable::run);
    segments.roll().ifPresent(full -> withGarbage.add(full.number()));
    if (!withGarbage.isEmpty()) {
      garbage.accept(Set.copyOf(withGarbage));
      withGarbage.clear();
    }
  }

  private void write(Task task, List<Runnable> whenDurable) throws IOException {
    if (task instanceof Task.Write write) {
      RecordHeader header = RecordHeader.body(write.body(), write.content());
      StoredBody stored = segments.append(header, write.content());
      whenDurable.add(() -> written(write, stored));
    } else if (task instanceof Task.Move move) {
      move(move, whenDurable);
    } else if (task instanceof Task.Remove remove) {
      remove(remove.body());
      // Again, after writes of the same group that precede it.
      whenDurable.add(() -> remove(remove.body()));
      segments.append(RecordHeader.removal(remove.body()), List.of());
    } else if (task instanceof Task.KeepRemoval keep) {
      if (index.get(keep.body()).isEmpty()) {
        segments.append(RecordHeader.removal(keep.body()), List.of());
      }
      whenDurable.add(() -> keep.durable().complete(null));
    } else {
      closing = true;
    }
  }

  private void remove(BodyId body) {
    index.remove(body).ifPresent(place -> withGarbage.add(place.segment()));
  }

  private void written(Task.Write write, StoredBody stored) {
    index.put(stored).ifPresent(place -> withGarbage.add(place.segment()));
    pending.release(write.bytes());
    write.durable().complete(null);
  }

  private void move(Task.Move move, List<Runnable> whenDurable) throws IOException {
    RecordHeader header = move.from().header();
    if (!index.isAt(header.body(), move.from().place())) {
      move.durable().complete(null);
      return;
    }
    StoredBody to = segments.append(header, List.of(move.content()));
    whenDurable.add(
        () -> {
          // Removed in the same group otherwise.
          if (index.isAt(header.body(), move.from().place())) {
            index.put(to);
          }
          move.durable().complete(null);
        });
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

  private void fail(Task task, IOException failure) {
    if (task instanceof Task.Write write) {
      if (write.durable().completeExceptionally(failure)) {
        pending.release(write.bytes());
      }
    } else if (task instanceof Task.Remove remove) {
      LOG.warn("A removed body returns with the next start body={}", remove.body(), failure);
    } else if (task instanceof Task.Move move) {
      move.durable().completeExceptionally(failure);
    } else if (task instanceof Task.KeepRemoval keep) {
      keep.durable().completeExceptionally(failure);
    }
  }
}
