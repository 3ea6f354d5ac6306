package io.quorate.replication.coded;

import io.quorate.common.DecodeException;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication.Condition;
import io.quorate.consensus.BodyReplication.Part;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads bodies: from this node, or restored from what the other nodes hold, and then kept here
 * (recovery read, E8). Concurrent reads of a body share one recovery. Also restores what this node
 * is to hold, without a read. Both share the bounds. Any thread; nothing blocks.
 */
final class BodyReader {
  private static final Logger LOG = LoggerFactory.getLogger(BodyReader.class);
  private static final LogLimit DAMAGED = new LogLimit();

  private final BodyNode node;
  private final LocalBodies local;
  private final HeldBodies held;
  private final BodyPeers peers;
  private final BodyMetrics metrics;
  private final Map<BodyId, BodyTask<ByteBuffer>> reads = new ConcurrentHashMap<>();

  /** The reads and restorations that were admitted. */
  private final Set<BodyTask<?>> inProgress = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  BodyReader(
      GroupId group, BodyNode node, LocalBodies local, BodyPeers peers, BodyMetrics metrics) {
    this.node = node;
    this.local = local;
    this.held = new HeldBodies(group, node, local, metrics);
    this.peers = peers;
    this.metrics = metrics;
  }

  CompletableFuture<ByteBuffer> read(BodyReference reference) {
    BodyTask<ByteBuffer> read;
    try {
      read = held.task(reference);
    } catch (DecodeException e) {
      return CompletableFuture.failedFuture(new ConsensusException.Invalid(e.getMessage()));
    }
    BodyTask<ByteBuffer> known = reads.putIfAbsent(read.id(), read);
    if (known == null) {
      read.outcome().whenComplete((body, failure) -> reads.remove(read.id(), read));
      admit(read, () -> beginRead(read, restored -> keep(read, restored)));
    }
    CompletableFuture<ByteBuffer> outcome = new CompletableFuture<>();
    (known == null ? read : known)
        .outcome()
        .whenComplete(
            (body, failure) -> {
              if (failure == null) {
                outcome.complete(body.duplicate());
              } else {
                outcome.completeExceptionally(failure);
              }
            });
    return outcome;
  }

  /** The body, as by {@link #read}, but what is restored is not kept here. */
  CompletableFuture<ByteBuffer> content(BodyReference reference) {
    BodyTask<ByteBuffer> read;
    try {
      read = held.task(reference);
    } catch (DecodeException e) {
      return CompletableFuture.failedFuture(new ConsensusException.Invalid(e.getMessage()));
    }
    admit(read, () -> beginRead(read, restored -> {}));
    return read.outcome();
  }

  /** What this node holds, without reading it. */
  Optional<Part> held(BodyReference reference) {
    return held.held(reference);
  }

  CompletableFuture<Condition> restore(BodyReference reference) {
    BodyTask<Condition> restoration;
    try {
      restoration = held.task(reference);
    } catch (DecodeException e) {
      return CompletableFuture.failedFuture(new ConsensusException.Invalid(e.getMessage()));
    }
    admit(restoration, () -> beginRestoration(restoration));
    return restoration.outcome();
  }

  private void admit(BodyTask<?> task, Runnable begin) {
    if (!held.admit(task)) {
      return;
    }
    inProgress.add(task);
    task.outcome().whenComplete((done, failure) -> inProgress.remove(task));
    if (closed) {
      task.fail(closing());
      return;
    }
    task.execute(begin);
  }

  private void beginRead(BodyTask<ByteBuffer> read, Consumer<ByteBuffer> whenRestored) {
    Optional<HeldBody> own = held.intact(read);
    if (own.isPresent() && own.get().form() == Form.COMPLETE) {
      read.outcome().complete(own.get().content());
      return;
    }
    recover(read, own, found -> completeRead(read, found, whenRestored));
  }

  private void beginRestoration(BodyTask<Condition> restoration) {
    Condition before = held.condition(restoration);
    boolean hadMore = local.mayHaveLost(restoration.id());
    if (before == Condition.INTACT && hadMore && local.isComplete(restoration.id())) {
      local.isRestored(restoration.id());
      restoration.outcome().complete(before);
    } else if (before == Condition.INTACT && !hadMore) {
      restoration.outcome().complete(before);
    } else {
      Condition found = before == Condition.INTACT ? Condition.DAMAGED : before;
      recover(restoration, Optional.empty(), parts -> storeRestored(restoration, found, parts));
    }
  }

  private void recover(BodyTask<?> task, Optional<HeldBody> own, Consumer<FoundParts> then) {
    BodyRecovery recovery = new BodyRecovery(task, node, peers, metrics, then);
    RecoveryQueue recoveries = node.budgets().recoveries();
    long bytes = Math.max(1, task.layout().header().valueBytes());
    recoveries.begin(
        bytes,
        () -> {
          task.outcome().whenComplete((done, failure) -> recoveries.end(bytes));
          task.execute(() -> recovery.start(own));
        });
  }

  private void completeRead(
      BodyTask<ByteBuffer> read, FoundParts found, Consumer<ByteBuffer> whenRestored) {
    ByteBuffer body;
    try {
      body = found.restore(node.coder());
    } catch (IOException e) {
      failRestored(read, e);
      return;
    }
    metrics.recovery();
    CodedPoints.RESTORED.passed(CodedPoints.Step.local(node.self(), read.id()));
    whenRestored.accept(body);
    read.outcome().complete(body);
  }

  private void keep(BodyTask<ByteBuffer> read, ByteBuffer body) {
    // Not awaited: the next read after a failure restores the body again.
    local
        .store(read.id(), Form.COMPLETE, 0, List.of(body.duplicate()))
        .whenComplete(
            (durable, failure) -> {
              if (failure != null) {
                LOG.debug("A restored body was not stored body={}", read.id(), failure);
              }
            });
  }

  private void storeRestored(BodyTask<Condition> restoration, Condition before, FoundParts found) {
    HeldBody due;
    try {
      due = due(restoration, before, found);
    } catch (IOException e) {
      failRestored(restoration, e);
      return;
    }
    metrics.recovery();
    CodedPoints.RESTORED.passed(CodedPoints.Step.local(node.self(), restoration.id()));
    local
        .store(restoration.id(), due.form(), due.index(), List.of(due.content()))
        .whenComplete(
            (durable, failure) -> {
              if (failure == null) {
                restoration.outcome().complete(before);
              } else {
                restoration.fail(Failures.unwrap(failure));
              }
            });
  }

  /**
   * What this node is to hold. A damaged or lost record is replaced by a complete copy: its form is
   * unknown, and if it was a complete copy, it may have been counted as one (E2).
   */
  private HeldBody due(BodyTask<?> task, Condition before, FoundParts found) throws IOException {
    int index = task.layout().nodes().indexOf(node.self());
    return before == Condition.MISSING && index >= 0 && !local.mayHaveLost(task.id())
        ? found.restoreFragment(node.coder(), index)
        : HeldBody.complete(found.restore(node.coder()));
  }

  private static void failRestored(BodyTask<?> task, IOException mismatch) {
    DAMAGED.log(
        leftOut ->
            LOG.error(
                "A body was restored and does not match its checksum body={}{}",
                task.id(),
                LogLimit.text(leftOut),
                mismatch));
    task.fail(new ConsensusException.Unavailable(mismatch.getMessage()));
  }

  /** Fails the reads and restorations in progress. */
  void close() {
    closed = true;
    List.copyOf(inProgress).forEach(task -> task.fail(closing()));
  }

  private static ConsensusException closing() {
    return new ConsensusException.Unavailable("This replica is closing.");
  }
}
