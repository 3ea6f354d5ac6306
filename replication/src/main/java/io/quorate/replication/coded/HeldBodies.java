package io.quorate.replication.coded;

import io.quorate.common.Budget;
import io.quorate.common.DecodeException;
import io.quorate.common.LogLimit;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.BodyReplication.Condition;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.replication.coded.round.HeldBody;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node holds of the bodies of one group, whether or not its replica runs. Any thread;
 * nothing blocks, unless stated otherwise.
 */
public final class HeldBodies {
  private static final Logger LOG = LoggerFactory.getLogger(HeldBodies.class);
  private static final LogLimit DAMAGED = new LogLimit();

  private final GroupId group;
  private final BodyNode node;
  private final LocalBodies local;
  private final BodyMetrics metrics;
  private final Budget inFlight;

  /** For a group whose replica need not run. */
  public HeldBodies(GroupId group, BodyNode node) {
    this(
        group,
        node,
        new LocalBodies(node.storage(), node.workers()),
        new BodyMetrics(node.telemetry(), group));
  }

  HeldBodies(GroupId group, BodyNode node, LocalBodies local, BodyMetrics metrics) {
    this.group = group;
    this.node = node;
    this.local = local;
    this.metrics = metrics;
    this.inFlight = node.budgets().reads();
  }

  /** As {@link BodyReplication#bodyBytesMin}. */
  public int bodyBytesMin() {
    return node.settings().bodyBytesMin();
  }

  /** As {@link BodyReplication#held}. */
  public Optional<BodyReplication.Part> held(BodyReference reference) {
    return local.part(reference.in(group), reference.length());
  }

  /**
   * Verifies what is held of a body, and restores nothing.
   *
   * @return completes with its condition, on a thread that must not be blocked. Fails with {@link
   *     ConsensusException.Overloaded} if too many bodies are being read.
   */
  public CompletableFuture<Condition> verify(BodyReference reference) {
    try {
      BodyTask<Condition> task = task(reference);
      if (admit(task)) {
        task.execute(() -> task.outcome().complete(condition(task)));
      }
      return task.outcome();
    } catch (DecodeException e) {
      return CompletableFuture.failedFuture(new ConsensusException.Invalid(e.getMessage()));
    }
  }

  /**
   * A task for a body.
   *
   * @throws DecodeException if the layout is invalid
   */
  <T> BodyTask<T> task(BodyReference reference) {
    return new BodyTask<>(reference.in(group), BodyLayout.of(reference), node.workers());
  }

  /** Returns false, and fails the task, if too many bodies are being read. */
  boolean admit(BodyTask<?> task) {
    int bytes = task.layout().header().valueBytes();
    if (!inFlight.tryAcquireAnySizeAlone(bytes)) {
      task.failOverloaded();
      return false;
    }
    task.outcome().whenComplete((done, failure) -> inFlight.release(bytes));
    return true;
  }

  /** The condition of what is held of a body. Blocks on the disk. */
  Condition condition(BodyTask<?> task) {
    try {
      return load(task).isPresent() ? Condition.INTACT : Condition.MISSING;
    } catch (IOException e) {
      reportDamage(task, e);
      return Condition.DAMAGED;
    }
  }

  /** What is held of a body; empty if nothing, or if it is damaged. Blocks on the disk. */
  Optional<HeldBody> intact(BodyTask<?> task) {
    try {
      return load(task);
    } catch (IOException e) {
      reportDamage(task, e);
      return Optional.empty();
    }
  }

  private Optional<HeldBody> load(BodyTask<?> task) throws IOException {
    Optional<HeldBody> held = local.load(task.id());
    if (held.isPresent() && !FoundParts.isIntact(held.get(), task.layout().header())) {
      throw new IOException("It does not match the checksum of its reference.");
    }
    return held;
  }

  private void reportDamage(BodyTask<?> task, IOException damage) {
    metrics.corrupt();
    DAMAGED.log(
        leftOut ->
            LOG.warn(
                "A body is damaged here and will be restored body={}{}",
                task.id(),
                LogLimit.text(leftOut),
                damage));
  }
}
