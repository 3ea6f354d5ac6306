package io.quorate.server.testing;

import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.GroupView;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A group of one member: commits at once, remembers nothing. */
final class MemoryGroup implements ConsensusGroup {
  private final GroupSpec spec;
  private final NodeId self;
  private final ReplicatedStateMachine machine;
  private final CompletableFuture<Void> released;
  private final ExecutorService committer =
      Executors.newSingleThreadExecutor(task -> new Thread(task, "memory-group"));
  private volatile long committed;

  MemoryGroup(
      GroupSpec spec, NodeId self, ReplicatedStateMachine machine, CompletableFuture<Void> released)
      throws IOException {
    this.spec = spec;
    this.self = self;
    this.machine = machine;
    this.released = released;
    this.committed = machine.open().index();
  }

  @Override
  public CompletionStage<Outcome> propose(Command command) {
    return released.thenCompose(
        go -> {
          CompletableFuture<Outcome> answer = new CompletableFuture<>();
          committer.execute(() -> commit(command, answer));
          return answer;
        });
  }

  private void commit(Command command, CompletableFuture<Outcome> answer) {
    Position position = new Position(1, committed + 1);
    ByteBuffer payload = command.payload().asReadOnlyBuffer();
    machine
        .committed(
            new CommittedBatch(
                position,
                List.of(payload),
                (index, result) -> answer.complete(new Outcome(position, result))))
        .toCompletableFuture()
        .join();
    committed = position.index();
  }

  @Override
  public CompletionStage<Position> readPoint(Guarantee guarantee, KeyScope scope) {
    if (guarantee instanceof Guarantee.AtLeast atLeast) {
      return CompletableFuture.completedFuture(atLeast.position());
    } else if (guarantee instanceof Guarantee.LinearizableIfClocksBounded) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Invalid("There is no lease here."));
    }
    return CompletableFuture.completedFuture(new Position(1, committed));
  }

  @Override
  public GroupView view() {
    return new GroupView(1, spec.members(), Optional.of(self), true, new Position(1, committed));
  }

  @Override
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    return Optional.empty();
  }

  @Override
  public void close() {
    committer.shutdown();
  }
}
