package io.quorate.ratis.hibernation;

import io.quorate.common.Failures;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.HeldBodies;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The bodies of a group that may hibernate. What a replica holds can be inspected without it, so
 * that the regular walks over all bodies neither start a group nor keep it running; only a body
 * that is to be restored starts it, since the other members serve bodies while they run.
 */
final class HibernatingBodies implements BodyReplication {
  private static final Duration RETRY_PAUSE = Duration.ofMillis(250);

  /** A group starts within a second; where a node is full, another one hibernates before. */
  private static final int ATTEMPTS = 20;

  private final HibernatingGroup group;
  private final HeldBodies here;

  HibernatingBodies(HibernatingGroup group, HeldBodies here) {
    this.group = group;
    this.here = here;
  }

  @Override
  public int bodyBytesMin() {
    return here.bodyBytesMin();
  }

  @Override
  public CompletionStage<ProposeResult> propose(
      ByteBuffer body, Function<BodyReference, Command> command) {
    return group.use(running -> bodies(running).propose(body, command));
  }

  @Override
  public CompletionStage<ByteBuffer> read(BodyReference body) {
    return group.use(running -> bodies(running).read(body));
  }

  @Override
  public Optional<Part> held(BodyReference body) {
    return here.held(body);
  }

  /** Counts as a use of the group only if there was something to restore. */
  @Override
  public CompletionStage<Condition> restore(BodyReference body) {
    Optional<ConsensusGroup> running = group.running();
    if (running.isEmpty() || group.isWaking()) {
      return here.verify(body)
          .thenCompose(
              condition ->
                  condition == Condition.INTACT
                      ? CompletableFuture.completedFuture(condition)
                      : restore(body, ATTEMPTS));
    }
    CompletionStage<Condition> outcome = bodies(running.get()).restore(body);
    outcome.thenAccept(
        condition -> {
          if (condition != Condition.INTACT) {
            group.use();
          }
        });
    return outcome;
  }

  /** The replica, or those of the other members, may have to start first. */
  private CompletableFuture<Condition> restore(BodyReference body, int attempts) {
    return group
        .use(running -> bodies(running).restore(body))
        .handle(
            (condition, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(condition);
              }
              return group.isWaking() && attempts > 1
                  ? group.after(RETRY_PAUSE).thenCompose(due -> restore(body, attempts - 1))
                  : CompletableFuture.<Condition>failedFuture(Failures.unwrap(failure));
            })
        .thenCompose(Function.identity())
        .toCompletableFuture();
  }

  @Override
  public Preparation prepare(List<NodeId> members) {
    return bodies(group.requireRunning()).prepare(members);
  }

  private static BodyReplication bodies(ConsensusGroup running) {
    return running.control(BodyReplication.class).orElseThrow();
  }
}
