package io.quorate.server.node.bodies;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.common.Failures;
import io.quorate.common.Pace;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.BodyReplication.Preparation;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.RegionStore;
import io.quorate.storage.command.StoredValue;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares changes of members in groups with bodies: copies the bodies to which rows refer, where
 * the change needs that (decision 0049). The regions of a node share one pace. Any thread; what it
 * does has threads of its own.
 */
public final class BodyCopier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BodyCopier.class);

  private static final int IN_FLIGHT_MAX = 4;
  private static final int THREADS = 2;
  private static final int REGIONS_WAITING_MAX = 4096;
  private static final long STOP_MILLIS_MAX = 5_000;

  /** Longer than the timeout of any step, which ends it first. */
  private static final Duration STEP_MAX = Duration.ofMinutes(2);

  /** A command without an effect: it expires the sessions of clients before the first position. */
  private static final Operation NO_EFFECT = new Operation.ExpireSessions(Position.NONE);

  private final Pace pace;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          10,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(REGIONS_WAITING_MAX),
          new DefaultThreadFactory("quorate-body-copy", true, Thread.MIN_PRIORITY));

  /** A body that is being copied, and the key of the row that refers to it. */
  private record Copy(Key key, BodyReference body, CompletableFuture<Void> done) {}

  /**
   * @param bytesPerSecond maximum bytes of copied values in a second
   */
  public BodyCopier(long bytesPerSecond) {
    this.pace = new Pace(bytesPerSecond, System.nanoTime());
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Prepares a change of members. Does not block.
   *
   * @param bodies the bodies of the replica's group
   * @param members all members after the change, among them this node
   * @return completes when the change may be requested; fails with {@link ConsensusException}, and
   *     is to be repeated then: what is copied stays
   */
  public CompletionStage<Void> prepare(
      LocalReplica replica, BodyReplication bodies, List<NodeId> members) {
    CompletableFuture<Void> prepared = new CompletableFuture<>();
    try {
      threads.execute(
          () -> {
            try {
              prepareNow(replica, bodies, members);
              prepared.complete(null);
            } catch (InterruptedException e) {
              prepared.completeExceptionally(
                  new ConsensusException.Unavailable("This node is closing."));
            } catch (RuntimeException e) {
              prepared.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      prepared.completeExceptionally(
          new ConsensusException.Unavailable("This node is closing or has too much to do."));
    }
    return prepared;
  }

  private void prepareNow(LocalReplica replica, BodyReplication bodies, List<NodeId> members)
      throws InterruptedException {
    Preparation preparation = bodies.prepare(members);
    if (!preparation.copies()) {
      return;
    }
    // When it is applied, so is every command whose body was replicated without the new members.
    await(
        replica
            .group()
            .propose(new Command(new ClientCommand(RequestId.NONE, NO_EFFECT).encoded())));
    long copied = copyAll(replica.store(), preparation);
    preparation.complete();
    LOG.atInfo()
        .addKeyValue("region", replica.assignment().id())
        .addKeyValue("bodies", copied)
        .addKeyValue("members", members)
        .log("Every body is where a change of members needs it");
  }

  /** Returns the number of bodies to which rows refer. */
  private long copyAll(RegionStore region, Preparation preparation) throws InterruptedException {
    Deque<Copy> inFlight = new ArrayDeque<>();
    try {
      BodyReferences.Visited visited =
          BodyReferences.visitAll(
              region,
              (key, body) -> {
                if (inFlight.size() == IN_FLIGHT_MAX) {
                  finish(region, inFlight.remove());
                }
                inFlight.add(new Copy(key, body, copy(preparation, body)));
              });
      while (!inFlight.isEmpty()) {
        finish(region, inFlight.remove());
      }
      return visited.references();
    } catch (UncheckedIOException e) {
      throw new ConsensusException.Unavailable(
          "The references of the region cannot be read now: " + e.getMessage());
    }
  }

  /** What was copied before costs none of the pace. */
  private CompletableFuture<Void> copy(Preparation preparation, BodyReference body) {
    return preparation
        .isCopied(body)
        .<Void>thenCompose(
            isCopied ->
                isCopied
                    ? CompletableFuture.completedFuture(null)
                    : turn(body.length()).thenCompose(due -> preparation.copy(body)))
        .toCompletableFuture();
  }

  private CompletableFuture<Void> turn(int bytes) {
    long delay = pace.reserve(bytes, System.nanoTime());
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS));
  }

  /** A body that cannot be copied does not matter if no row refers to it any more. */
  private static void finish(RegionStore region, Copy copy) throws InterruptedException {
    try {
      await(copy.done());
    } catch (ConsensusException e) {
      if (isReferred(region, copy)) {
        throw e;
      }
    }
  }

  private static boolean isReferred(RegionStore region, Copy copy) {
    return region.getStored(copy.key()).stream()
        .anyMatch(
            value ->
                value instanceof StoredValue.Body body && body.reference().equals(copy.body()));
  }

  private static void await(CompletionStage<?> step) throws InterruptedException {
    try {
      step.toCompletableFuture().get(STEP_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new ConsensusException.Unavailable(
          "A step of a change of members has not ended in " + STEP_MAX.toSeconds() + "s.");
    } catch (ExecutionException e) {
      throw new ConsensusException.Unavailable(
          "A step of a change of members failed: " + Failures.unwrap(e).getMessage());
    }
  }

  /** Ends what is in progress, and waits for that a few seconds. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(STOP_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
        LOG.atWarn().log("A copy of bodies did not end in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
