package io.quorate.server.testing;

import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.Guarantee;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A group of one member. It commits at once and persists nothing. */
public final class MemoryGroup implements ConsensusGroup {
  private final GroupSpec spec;
  private final NodeId self;
  private final ReplicatedStateMachine machine;
  private final CompletableFuture<Void> released;
  private final ExecutorService committer =
      Executors.newSingleThreadExecutor(task -> new Thread(task, "memory-group"));
  private final boolean hasLeader;
  private final boolean leaseOnly;
  private volatile long committed;
  private volatile boolean ended;

  MemoryGroup(
      GroupSpec spec,
      NodeId self,
      ReplicatedStateMachine machine,
      CompletableFuture<Void> released,
      boolean hasLeader,
      boolean leaseOnly)
      throws IOException {
    this.spec = spec;
    this.self = self;
    this.machine = machine;
    this.released = released;
    this.hasLeader = hasLeader;
    this.leaseOnly = leaseOnly;
    this.committed = machine.open().index();
  }

  @Override
  public CompletionStage<ProposeResult> propose(Command command) {
    return released.thenCompose(
        ignored -> {
          CompletableFuture<ProposeResult> outcome = new CompletableFuture<>();
          committer.execute(() -> commit(command, outcome));
          return outcome;
        });
  }

  private void commit(Command command, CompletableFuture<ProposeResult> outcome) {
    Position position = new Position(1, committed + 1);
    ByteBuffer payload = command.payload().asReadOnlyBuffer();
    // First: the result may arrive at the client before the state machine's call returns.
    committed = position.index();
    machine
        .committed(
            new CommittedBatch(
                position,
                List.of(payload),
                (index, result) -> outcome.complete(new ProposeResult(position, result))))
        .toCompletableFuture()
        .join();
  }

  @Override
  public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
    if (guarantee instanceof Guarantee.AtLeast atLeast) {
      return CompletableFuture.completedFuture(atLeast.position());
    } else if (guarantee instanceof Guarantee.LinearizableIfClocksBounded && !leaseOnly) {
      return CompletableFuture.failedFuture(new ConsensusException.Invalid("There is no lease."));
    } else if (guarantee instanceof Guarantee.Linearizable && leaseOnly) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("No majority confirms this leader."));
    }
    return CompletableFuture.completedFuture(new Position(1, committed));
  }

  /** What the group was opened with. */
  public GroupSpec spec() {
    return spec;
  }

  @Override
  public GroupStatus view() {
    return new GroupStatus(
        1,
        spec.members(),
        hasLeader ? Optional.of(self) : Optional.empty(),
        true,
        new Position(1, committed),
        ended,
        false);
  }

  /** Ends, as a replica that was removed. */
  public void end() {
    ended = true;
  }

  @Override
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    return hasLeader || type != QuorumReads.class
        ? Optional.empty()
        : Optional.of(type.cast(new Quorum()));
  }

  /** The quorum is this one replica. */
  private final class Quorum implements QuorumReads {
    @Override
    public CompletionStage<ReadReply<Void>> reply(KeyScope scope, Position atLeast) {
      Position applied = new Position(1, committed);
      return applied.covers(atLeast)
          ? CompletableFuture.completedFuture(
              new ReadReply<>(self, 1, 1, applied, Position.NONE, null))
          : CompletableFuture.failedFuture(
              new ConsensusException.Unavailable("Position " + atLeast + " is not executed."));
    }

    @Override
    public CompletionStage<Position> readIndex(KeyScope scope, QuorumRule rule) {
      return CompletableFuture.completedFuture(new Position(1, committed));
    }
  }

  @Override
  public void close() {
    committer.shutdown();
  }
}
