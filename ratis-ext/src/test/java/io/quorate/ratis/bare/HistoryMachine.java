package io.quorate.ratis.bare;

import io.quorate.ratis.log.LogFixture;
import io.quorate.ratis.log.LogMachine;
import io.quorate.replication.log.LogPoints;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.statemachine.TransactionContext;

/** Records every write; a read returns the last one. The fsyncs of its log can be stalled. */
public final class HistoryMachine extends LogMachine {
  private final List<String> history = new CopyOnWriteArrayList<>();
  private final LogFixture node;
  private volatile Runnable onNotLeader = () -> {};
  private volatile boolean stalled;
  private volatile boolean hasNoThreads;
  private volatile Runnable beforeApply = () -> {};

  public HistoryMachine(Path directory, String node) throws IOException {
    this(new LogFixture(directory, node));
  }

  private HistoryMachine(LogFixture node) throws IOException {
    super(node.replica());
    this.node = node;
  }

  @Override
  public Executor blocking() {
    return task -> {
      if (hasNoThreads) {
        throw new RejectedExecutionException("full");
      }
      super.blocking().execute(task);
    };
  }

  /**
   * Makes the log's fsyncs wait until the returned future is completed.
   *
   * @param after how many are let through before
   */
  public CompletableFuture<Void> stallFlushes(int after) {
    CompletableFuture<Void> disk = new CompletableFuture<>();
    AtomicInteger left = new AtomicInteger(after);
    stalled = false;
    LogPoints.BEFORE_SYNC.on(
        (point, subject) -> {
          if (((SegmentStart) subject).owner().equals(node.owner())
              && left.getAndDecrement() <= 0
              && !disk.isDone()) {
            stalled = true;
            disk.join();
            stalled = false;
          }
        });
    return disk;
  }

  /** Whether there is no thread for what may wait for other nodes. */
  public void setHasNoThreads(boolean hasNone) {
    hasNoThreads = hasNone;
  }

  /** Sets what runs before an entry is applied. */
  public void beforeApply(Runnable action) {
    beforeApply = action;
  }

  /** Whether an fsync waits. */
  public boolean isStalled() {
    return stalled;
  }

  /** Closes the log, when Ratis has closed its replica. */
  public void end() {
    try {
      node.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void onNotLeader(Runnable action) {
    onNotLeader = action;
  }

  public List<String> history() {
    return List.copyOf(history);
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    beforeApply.run();
    history.add(entry.getStateMachineLogEntry().getLogData().toStringUtf8());
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  @Override
  public CompletableFuture<Message> query(Message request) {
    return CompletableFuture.completedFuture(Message.valueOf(history.get(history.size() - 1)));
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    onNotLeader.run();
  }
}
