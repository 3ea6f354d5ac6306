package io.quorate.rabia.engine;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Position;
import io.quorate.rabia.RabiaPoints;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.protocol.Configuration;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Configuration changes of a group, through its log (S2): one at a time, and each of them adds,
 * removes or replaces one member.
 *
 * <p>A new member first catches up without being counted, so that a group never depends on a
 * replica without state. Then the change is proposed. The new members decide slots from alpha slots
 * after the change on; until then the old members do, and no quorum read can be served (Q7). A
 * group without traffic would never reach those slots, so every member whose latest configuration
 * is not in force yet fills slots. The change has succeeded when a quorum of the new members has
 * executed all earlier slots.
 */
final class GroupMembership implements Membership, ReplicaLoop.LoopTask {
  /** How long a proposed change may take. */
  private static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(10);

  private static final String ANOTHER_CHANGE = "another replica has changed the members";

  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The maximum number of commands in flight that fill slots. */
  private static final int FILLING_MAX = 128;

  /**
   * A change in progress.
   *
   * @param epoch of the configuration that is to be changed
   * @param required the position that a new member must have executed before the change is proposed
   */
  private record Change(
      List<Member> members,
      long epoch,
      long number,
      Optional<Member> joiner,
      Position required,
      boolean proposed,
      long deadlineNanos,
      CompletableFuture<Void> done) {
    Change proposedUntil(long deadline) {
      return new Change(members, epoch, number, joiner, required, true, deadline, done);
    }
  }

  private final Replica replica;
  private final ReplicaLoop loop;
  private final ReplicaLoop.Network network;
  private final Proposals proposals;
  private final Duration joinTimeout;

  // Accessed only by the replica's thread.
  private final ArrayDeque<CompletableFuture<ProposeResult>> filling = new ArrayDeque<>();
  private Optional<Change> change = Optional.empty();

  GroupMembership(
      Replica replica,
      ReplicaLoop loop,
      ReplicaLoop.Network network,
      Proposals proposals,
      Duration joinTimeout) {
    this.replica = replica;
    this.loop = loop;
    this.network = network;
    this.proposals = proposals;
    this.joinTimeout = joinTimeout;
  }

  @Override
  public CompletionStage<Void> change(List<Member> members, long epoch, long number) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(() -> begin(List.copyOf(members), epoch, number, done));
    return done;
  }

  private void begin(List<Member> members, long epoch, long number, CompletableFuture<Void> done) {
    Configuration latest = replica.latestConfiguration();
    if (!Configuration.isPossible(members)) {
      done.completeExceptionally(
          new ConsensusException.Invalid(
              "A group has 1 to " + Configuration.MEMBERS_MAX + " different members."));
    } else if (!latest.isOneChange(members)) {
      done.completeExceptionally(
          new ConsensusException.Invalid(
              "A change adds one member, removes one, or replaces one; the members are "
                  + latest.members()
                  + "."));
    } else if (latest.epoch() != epoch) {
      done.completeExceptionally(
          new ConsensusException.Unavailable("Nothing was changed: " + ANOTHER_CHANGE + "."));
    } else if (!loop.view().serving()) {
      done.completeExceptionally(new ConsensusException.Redirect(Optional.empty()));
    } else if (!hasMajority(members, latest)) {
      // They could decide nothing, nor change their members again.
      done.completeExceptionally(
          new ConsensusException.Unavailable(
              "Nothing was changed: most of the members after the change do not respond."));
    } else if (change.filter(Change::proposed).isPresent()) {
      done.completeExceptionally(
          new ConsensusException.Overloaded(
              "Another change of members is under way.", Duration.ofSeconds(1)));
    } else {
      // The new member of the former change may be gone for good.
      fail("a later change was requested");
      Optional<Member> joiner =
          members.stream().filter(member -> !latest.contains(member.node())).findFirst();
      // Not a member yet, but it must be connected to catch up.
      joiner.ifPresent(member -> network.link(List.of(member)));
      long deadline = ReplicaClock.nanos() + joinTimeout.toNanos();
      change =
          Optional.of(
              new Change(
                  members, epoch, number, joiner, replica.executed(), false, deadline, done));
    }
  }

  /**
   * Whether most of the members have reported to this replica since it was opened, and their nodes
   * have sent something of late. A new one has to catch up before it is a member.
   */
  private boolean hasMajority(List<Member> members, Configuration latest) {
    long responding =
        members.stream()
            .filter(
                member ->
                    !latest.contains(member.node())
                        || loop.isReachable(member) && replica.hasReported(member.node()))
            .count();
    return 2 * responding > members.size();
  }

  @Override
  public void onIteration(long nowNanos) {
    if (isInTransition()) {
      fill();
    }
    if (change.isEmpty()) {
      return;
    }
    Change wanted = change.get();
    if (!wanted.proposed() && replica.latestConfiguration().epoch() != wanted.epoch()) {
      fail(ANOTHER_CHANGE);
    } else if (!wanted.proposed() && hasCaughtUp(wanted)) {
      change = Optional.of(wanted.proposedUntil(nowNanos + CHANGE_TIMEOUT.toNanos()));
      RabiaPoints.CAUGHT_UP.passed(wanted.members());
      loop.submit(new Input.Reconfigure(wanted.members(), wanted.number()));
    } else if (wanted.proposed() && isInForce(wanted)) {
      change = Optional.empty();
      RabiaPoints.CHANGED.passed(wanted.members());
      wanted.done().complete(null);
    } else if (wanted.deadlineNanos() - nowNanos <= 0) {
      fail(
          "the new member has not caught up within "
              + joinTimeout.toSeconds()
              + " s (rabia.join-timeout)");
    }
  }

  private boolean hasCaughtUp(Change wanted) {
    return wanted.joiner().isEmpty()
        || replica.executedBy(wanted.joiner().get().node()) >= wanted.required().index();
  }

  /** Whether the new members decide, and a quorum of them has executed all earlier slots. */
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
      filling.add(proposals.offerRead(Command.Source.NODE));
      loop.wake();
    }
  }

  @Override
  public long dueAt(long nowNanos) {
    return change.isPresent() || isInTransition()
        ? nowNanos + CHECK_NANOS
        : ReplicaLoop.idle(nowNanos);
  }

  /** On the replica's thread. */
  void close() {
    fail("this replica is closing");
  }

  /**
   * @param reason why nothing was changed, if the change was not proposed
   */
  private void fail(String reason) {
    Optional<Change> failed = change;
    change = Optional.empty();
    failed.ifPresent(late -> late.done().completeExceptionally(failure(late, reason)));
  }

  private ConsensusException failure(Change failed, String reason) {
    if (failed.proposed()) {
      return new ConsensusException.Indeterminate(
          "The change of members was proposed, and is not known to be in force.", null);
    }
    failed
        .joiner()
        .map(Member::node)
        .filter(joiner -> !replica.latestConfiguration().contains(joiner))
        .ifPresent(network::unlink);
    return new ConsensusException.Unavailable("Nothing was changed: " + reason + ".");
  }
}
