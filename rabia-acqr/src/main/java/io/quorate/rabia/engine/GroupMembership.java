package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.protocol.Configuration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Changes of a group's members, through its log (S2). One at a time. */
final class GroupMembership implements Membership, ReplicaLoop.Guest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private record Change(List<Member> members, long deadlineNanos, CompletableFuture<Void> agreed) {}

  private final Replica replica;
  private final ReplicaLoop loop;

  /** The replica's thread alone. */
  private Optional<Change> change = Optional.empty();

  GroupMembership(Replica replica, ReplicaLoop loop) {
    this.replica = replica;
    this.loop = loop;
  }

  @Override
  public CompletionStage<Void> change(List<Member> members) {
    CompletableFuture<Void> agreed = new CompletableFuture<>();
    loop.execute(() -> begin(List.copyOf(members), agreed));
    return agreed;
  }

  private void begin(List<Member> members, CompletableFuture<Void> agreed) {
    if (!Configuration.isPossible(members)) {
      agreed.completeExceptionally(
          new ConsensusException.Invalid(
              "A group has 1 to " + Configuration.MEMBERS_MAX + " different members."));
    } else if (!loop.view().serving()) {
      agreed.completeExceptionally(new ConsensusException.Redirect(Optional.empty()));
    } else if (change.isPresent()) {
      agreed.completeExceptionally(
          new ConsensusException.Overloaded(
              "Another change of members is under way.", Duration.ofSeconds(1)));
    } else {
      change = Optional.of(new Change(members, System.nanoTime() + PATIENCE.toNanos(), agreed));
      loop.tell(new Input.Reconfigure(members));
    }
  }

  @Override
  public void turn(long nowNanos) {
    if (change.isEmpty()) {
      return;
    }
    Change present = change.get();
    if (replica.latestConfiguration().members().equals(present.members())) {
      change = Optional.empty();
      present.agreed().complete(null);
    } else if (present.deadlineNanos() - nowNanos <= 0) {
      fail("The change of members was not agreed upon in time.");
    }
  }

  @Override
  public long dueAt(long nowNanos) {
    return nowNanos + LOOK_NANOS;
  }

  /** On the replica's thread. */
  void close() {
    fail("This replica closed before the change of members was agreed upon.");
  }

  private void fail(String why) {
    Optional<Change> failed = change;
    change = Optional.empty();
    failed.ifPresent(
        present ->
            present
                .agreed()
                .completeExceptionally(new ConsensusException.Indeterminate(why, null)));
  }
}
