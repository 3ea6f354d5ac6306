package io.quorate.replication.coded;

import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.HeldBody;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects intact parts of one body from the other nodes until they suffice to restore it. Used
 * once. Any thread; nothing blocks.
 */
final class BodyRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(BodyRecovery.class);
  private static final LogLimit DAMAGED = new LogLimit();

  private final BodyTask<?> task;
  private final BodyNode node;
  private final BodyPeers peers;
  private final BodyMetrics metrics;
  private final Consumer<FoundParts> whenSufficient;

  // Guarded by this.
  private final FoundParts found;
  private int replicas;
  private int outstanding;
  private boolean isOver;

  /**
   * @param task fails if the parts that are found do not suffice
   * @param whenSufficient called at most once, on a worker; the parts do not change any more
   */
  BodyRecovery(
      BodyTask<?> task,
      BodyNode node,
      BodyPeers peers,
      BodyMetrics metrics,
      Consumer<FoundParts> whenSufficient) {
    this.task = task;
    this.node = node;
    this.peers = peers;
    this.metrics = metrics;
    this.whenSufficient = whenSufficient;
    this.found = new FoundParts(task.layout().header());
  }

  /**
   * Starts the requests. On a worker.
   *
   * @param own the intact part that this node holds
   */
  void start(Optional<HeldBody> own) {
    // The members at present: former ones, which the layout may name, have removed what they held.
    Set<NodeId> others = peers.others();
    synchronized (this) {
      replicas = others.size() + 1;
      outstanding = others.size() + 1;
    }
    for (NodeId other : others) {
      new BodyFetch(
              peers,
              other,
              task.id(),
              task.layout().header(),
              node.settings().chunkBytes(),
              node.workers(),
              () -> !isEnough())
          .start()
          .whenComplete((part, failure) -> task.execute(() -> fetched(other, part, failure)));
    }
    arrived(own);
  }

  private boolean isEnough() {
    synchronized (this) {
      return task.isDone() || found.areSufficient();
    }
  }

  private void fetched(NodeId from, Optional<HeldBody> part, Throwable failure) {
    if (failure != null) {
      LOG.debug(
          "A part of a body was not fetched node={} reason={}",
          from,
          Failures.unwrap(failure).getMessage());
      arrived(Optional.empty());
    } else {
      arrived(part.filter(held -> isIntact(from, held)));
    }
  }

  private boolean isIntact(NodeId holder, HeldBody held) {
    if (FoundParts.isIntact(held, task.layout().header())) {
      return true;
    }
    metrics.corrupt();
    DAMAGED.log(
        leftOut ->
            LOG.warn(
                "A part of a body does not match its checksum body={} node={} form={} index={}{}",
                task.id(),
                holder,
                held.form(),
                held.index(),
                LogLimit.text(leftOut)));
    return false;
  }

  /** Counts a response, of this node or of another one. */
  private void arrived(Optional<HeldBody> intact) {
    boolean suffices;
    synchronized (this) {
      outstanding--;
      if (isOver) {
        return;
      }
      intact.ifPresent(found::add);
      suffices = found.areSufficient();
      if (!suffices && outstanding > 0) {
        return;
      }
      isOver = true;
    }
    if (suffices) {
      whenSufficient.accept(found);
    } else {
      task.fail(tooFew());
    }
  }

  private ConsensusException tooFew() {
    return new ConsensusException.Unavailable(
        String.format(
            Locale.ROOT,
            "Body %d:%d cannot be restored now: %d of the %d fragments that it needs were found at %d"
                + " replicas.",
            task.id().epoch(),
            task.id().number(),
            found.fragments(),
            task.layout().header().shape().dataFragments(),
            replicas));
  }
}
