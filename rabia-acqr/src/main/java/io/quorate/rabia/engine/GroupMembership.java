package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Position;
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
 * Changes of a group's members, through its log (S2). One at a time, and one member at a time.
 *
 * <p>A new member first catches up without counting, so that a group never depends on a replica
 * that holds nothing. Then the change is proposed. New members decide from alpha slots after it on;
 * until then the old ones do, and no quorum read can be served (Q7). A group without traffic would
 * never come there, so every member that knows of a change fills slots until it is in force. It has
 * succeeded when a quorum of the new members holds all slots before.
 */
final class GroupMembership implements Membership, ReplicaLoop.Guest {
  /** How long a change that was proposed may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How many of its own slots a member fills at a time. */
  private static final int FILLING_MAX = 16;

  /**
   * A change under way.
   *
   * @param required what a new member must have executed before the change is proposed
   */
  private record Change(
      List<Member> members,
      Optional<Member> joiner,
      Position required,
      boolean proposed,
      long deadlineNanos,
      CompletableFuture<Void> done) {
    Change proposedUntil(long deadline) {
      return new Change(members, joiner, required, true, deadline, done);
    }
  }

  private final Replica replica;
  private final ReplicaLoop loop;
  private final ReplicaLoop.Outlet outlet;
  private final Proposals proposals;
  private final Duration joinTimeout;

  // The replica's thread alone.
  private final ArrayDeque<CompletableFuture<Outcome>> filling = new ArrayDeque<>();
  private Optional<Change> change = Optional.empty();

  GroupMembership(
      Replica replica,
      ReplicaLoop loop,
      ReplicaLoop.Outlet outlet,
      Proposals proposals,
      Duration joinTimeout) {
    this.replica = replica;
    this.loop = loop;
    this.outlet = outlet;
    this.proposals = proposals;
    this.joinTimeout = joinTimeout;
  }

  @Override
  public CompletionStage<Void> change(List<Member> members) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(() -> begin(List.copyOf(members), done));
    return done;
  }

  private void begin(List<Member> members, CompletableFuture<Void> done) {
    Configuration latest = replica.latestConfiguration();
    if (!Configuration.isPossible(members)) {
      done.completeExceptionally(
          new ConsensusException.Invalid(
              "A group has 1 to " + Configuration.MEMBERS_MAX + " different members."));
    } else if (!latest.isStep(members)) {
      done.completeExceptionally(
          new ConsensusException.Invalid(
              "A change adds one member, removes one, or replaces one; the members are "
                  + latest.members()
                  + "."));
    } else if (!loop.view().serving()) {
      done.completeExceptionally(new ConsensusException.Redirect(Optional.empty()));
    } else if (change.isPresent()) {
      done.completeExceptionally(
          new ConsensusException.Overloaded(
              "Another change of members is under way.", Duration.ofSeconds(1)));
    } else {
      Optional<Member> joiner =
          members.stream().filter(member -> !latest.contains(member.node())).findFirst();
      // It is no member yet, and must be reached to catch up.
      joiner.ifPresent(member -> outlet.link(List.of(member)));
      long deadline = ReplicaClock.nanos() + joinTimeout.toNanos();
      change = Optional.of(new Change(members, joiner, replica.executed(), false, deadline, done));
    }
  }

  @Override
  public void turn(long nowNanos) {
    if (isInTransition()) {
      fill();
    }
    if (change.isEmpty()) {
      return;
    }
    Change wanted = change.get();
    if (!wanted.proposed() && hasCaughtUp(wanted)) {
      change = Optional.of(wanted.proposedUntil(nowNanos + PATIENCE.toNanos()));
      loop.tell(new Input.Reconfigure(wanted.members()));
    } else if (wanted.proposed() && isInForce(wanted)) {
      change = Optional.empty();
      wanted.done().complete(null);
    } else if (wanted.deadlineNanos() - nowNanos <= 0) {
      fail();
    }
  }

  private boolean hasCaughtUp(Change wanted) {
    return wanted.joiner().isEmpty()
        || replica.executedBy(wanted.joiner().get().node()) >= wanted.required().index();
  }

  /** A quorum of those who decide now holds everything that was decided before. */
  private boolean isInForce(Change wanted) {
    Configuration present = replica.presentConfiguration();
    long holding =
        present.members().stream()
            .filter(member -> replica.executedBy(member.node()) >= present.start() - 1)
            .count();
    return present.members().equals(wanted.members()) && holding >= present.quorum();
  }

  private boolean isInTransition() {
    return replica.latestConfiguration().epoch() != replica.presentConfiguration().epoch();
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
    return change.isPresent() || isInTransition()
        ? nowNanos + LOOK_NANOS
        : ReplicaLoop.idle(nowNanos);
  }

  /** On the replica's thread. */
  void close() {
    fail();
  }

  private void fail() {
    Optional<Change> failed = change;
    change = Optional.empty();
    failed.ifPresent(late -> late.done().completeExceptionally(failure(late)));
  }

  private ConsensusException failure(Change failed) {
    if (failed.proposed()) {
      return new ConsensusException.Indeterminate(
          "The change of members was proposed, and is not known to be in force.", null);
    }
    NodeId joiner = failed.joiner().orElseThrow().node();
    outlet.unlink(joiner);
    return new ConsensusException.Unavailable(
        "Nothing was changed: node "
            + joiner
            + " has not caught up within "
            + joinTimeout.toSeconds()
            + " s (rabia.join-timeout).");
  }
}
