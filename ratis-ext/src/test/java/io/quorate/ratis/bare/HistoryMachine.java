package io.quorate.ratis.bare;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;

/** Records every write; a read returns the last one. Its part of an fsync can be stalled. */
public final class HistoryMachine extends BaseStateMachine {
  private final List<String> history = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<Void> flushed = CompletableFuture.completedFuture(null);
  private volatile Runnable onNotLeader = () -> {};
  private volatile boolean stalled;

  /** Makes the log's fsyncs wait until the returned future is completed. */
  public CompletableFuture<Void> stallFlushes() {
    stalled = false;
    flushed = new CompletableFuture<>();
    return flushed;
  }

  /** Whether an fsync waits. */
  public boolean isStalled() {
    return stalled && !flushed.isDone();
  }

  public void onNotLeader(Runnable action) {
    onNotLeader = action;
  }

  public List<String> history() {
    return List.copyOf(history);
  }

  @Override
  public CompletableFuture<Void> flush(long index) {
    CompletableFuture<Void> stall = flushed;
    if (!stall.isDone()) {
      stalled = true;
    }
    return stall;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
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
