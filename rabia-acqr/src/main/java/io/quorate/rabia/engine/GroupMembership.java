package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.Outcome;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.protocol.Configuration;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Changes of a group's members, through its log (S2). One at a time.
 *
 * <p>New members decide from alpha slots after the change on; until then the old ones do, and no
 * quorum read can be served (Q7). A group without traffic would never come there, so every member
 * that knows of a change fills slots until it is in force.
 */
final class GroupMembership implements Membership, ReplicaLoop.Guest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How many of its own slots a member fills at a time. */
  private static final int FILLING_MAX = 16;

  private record Change(List<Member> members, long deadlineNanos, CompletableFuture<Void> agreed) {}

  private final Replica replica;
  private final ReplicaLoop loop;
  private final Proposals proposals;

  // The replica's thread alone.
  private final ArrayDeque<CompletableFuture<Outcome>> filling = new ArrayDeque<>();
  private Optional<Change> change = Optional.empty();

  GroupMembership(Replica replica, ReplicaLoop loop, Proposals proposals) {
    this.replica = replica;
    this.loop = loop;
    this.proposals = proposals;
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
      change = Optional.of(new Change(members, ReplicaClock.nanos() + PATIENCE.toNanos(), agreed));
      loop.tell(new Input.Reconfigure(members));
    }
  }

  @Override
  public void turn(long nowNanos) {
    if (replica.latestConfiguration().epoch() != replica.presentConfiguration().epoch()) {
      fill();
    }
    if (change.isEmpty()) {
      return;
    }
    Change wanted = change.get();
    if (replica.presentConfiguration().members().equals(wanted.members())) {
      change = Optional.empty();
      wanted.agreed().complete(null);
    } else if (wanted.deadlineNanos() - nowNanos <= 0) {
      fail("The change of members did not come into force in time.");
    }
  }

  private void fill() {
    while (!filling.isEmpty() && filling.peek().isDone()) {
      filling.remove();
    }
    if (filling.size() < FILLING_MAX && loop.view().serving()) {
      filling.add(proposals.offer(PendingCommand.READ));
      loop.wake();
    }
  }

  @Override
  public long dueAt(long nowNanos) {
    boolean waits =
        change.isPresent()
            || replica.latestConfiguration().epoch() != replica.presentConfiguration().epoch();
    return waits ? nowNanos + LOOK_NANOS : ReplicaLoop.idle(nowNanos);
  }

  /** On the replica's thread. */
  void close() {
    fail("This replica closed before the change of members was in force.");
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
