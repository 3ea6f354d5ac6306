package io.quorate.ratis;

import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Position;
import io.quorate.replication.proposals.CommandQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * One log entry in flight, with the futures of its commands.
 *
 * <p>It is the message of the request to Ratis, so that the state machine finds it again when the
 * entry is applied on the replica that proposed it. From there the futures are completed one by
 * one, not through Ratis' reply, which has only one result for the whole entry.
 */
final class PendingEntry implements Message {
  /** A command and the future of its result. */
  record PendingCommand(Command command, CompletableFuture<ProposeResult> outcome)
      implements CommandQueue.Waiting {
    @Override
    public Command.Source source() {
      return command.source();
    }

    @Override
    public int bytes() {
      return command.size();
    }
  }

  private final List<PendingCommand> pendingCommands;
  private final ByteString content;
  private final AtomicInteger incomplete;
  private final CompletableFuture<Void> completed = new CompletableFuture<>();

  /**
   * Whether the entry may be in the log: from then on a failure no longer means that nothing
   * happened.
   */
  private volatile boolean appended;

  PendingEntry(List<PendingCommand> pendingCommands) {
    this.pendingCommands = List.copyOf(pendingCommands);
    this.incomplete = new AtomicInteger(pendingCommands.size());
    List<Command> commands = new ArrayList<>(pendingCommands.size());
    for (PendingCommand pending : pendingCommands) {
      commands.add(pending.command());
    }
    this.content = UnsafeByteOperations.unsafeWrap(EntryCodec.encode(commands));
  }

  @Override
  public ByteString getContent() {
    return content;
  }

  int commands() {
    return pendingCommands.size();
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

  /** Completes when every command has its result, or has failed. */
  CompletableFuture<Void> completed() {
    return completed;
  }

  /** Receives the results of the state machine once the entry is committed at {@code position}. */
  CommittedBatch.Results resultsAt(Position position) {
    return (command, result) -> complete(command, new ProposeResult(position, result));
  }

  private void complete(int command, ProposeResult outcome) {
    if (pendingCommands.get(command).outcome().complete(outcome)) {
      countDown();
    }
  }

  /** Fails every command that has no result yet. */
  void fail(ConsensusException reason) {
    for (PendingCommand pending : pendingCommands) {
      if (pending.outcome().completeExceptionally(reason)) {
        countDown();
      }
    }
  }

  private void countDown() {
    if (incomplete.decrementAndGet() == 0) {
      completed.complete(null);
    }
  }
}
