package io.quorate.ratis;

import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * One log entry on its way, and those who wait for its commands.
 *
 * <p>It is the message of the request to Ratis, so that the state machine finds it again when the
 * entry is applied on the replica that proposed it. Answers reach the waiters from there, one by
 * one, not through Ratis' reply, which has only one answer an entry.
 */
final class PendingEntry implements Message {
  /** A command and who waits for it. */
  record Waiting(Command command, CompletableFuture<Outcome> outcome) {}

  private final List<Waiting> waiting;
  private final ByteString content;
  private final AtomicInteger unanswered;
  private final CompletableFuture<Void> answered = new CompletableFuture<>();

  /** Whether the entry may be in the log: from then on nobody can say that nothing happened. */
  private volatile boolean appended;

  PendingEntry(List<Waiting> waiting) {
    this.waiting = List.copyOf(waiting);
    this.unanswered = new AtomicInteger(waiting.size());
    List<Command> commands = new ArrayList<>(waiting.size());
    for (Waiting one : waiting) {
      commands.add(one.command());
    }
    this.content = UnsafeByteOperations.unsafeWrap(EntryCodec.encode(commands));
  }

  @Override
  public ByteString getContent() {
    return content;
  }

  int commands() {
    return waiting.size();
  }

  int bytes() {
    return content.size();
  }

  void markAppended() {
    appended = true;
  }

  boolean mayBeInLog() {
    return appended;
  }

  /** Completes when every command has its answer, or has been given up. */
  CompletableFuture<Void> answered() {
    return answered;
  }

  /** Where the state machine puts its answers once the entry is committed at {@code position}. */
  CommittedBatch.Results resultsAt(Position position) {
    return (command, result) -> answer(command, new Outcome(position, result));
  }

  private void answer(int command, Outcome outcome) {
    if (waiting.get(command).outcome().complete(outcome)) {
      countDown();
    }
  }

  /** Gives up every command that has no answer yet. */
  void fail(ConsensusException reason) {
    for (Waiting one : waiting) {
      if (one.outcome().completeExceptionally(reason)) {
        countDown();
      }
    }
  }

  private void countDown() {
    if (unanswered.decrementAndGet() == 0) {
      answered.complete(null);
    }
  }
}
