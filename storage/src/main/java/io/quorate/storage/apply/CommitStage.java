package io.quorate.storage.apply;

import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.command.EarlyReply;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.read.Overlay;
import io.quorate.storage.session.EncodedResults;
import io.quorate.storage.session.SessionTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes a batch between commit and apply. With read acceleration it adds the batch's changes to
 * the overlay; with replies at commit it completes the commands whose results are known. The engine
 * delivers only batches that are durable at a majority, so neither exposes more than the log holds.
 *
 * <p>Batches are accepted by one thread at a time. While the stage is {@linkplain #suspend
 * suspended}, and for batches that the state already contains, all work is left to the applier.
 */
final class CommitStage {
  private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);
  private static final Logger LOG = LoggerFactory.getLogger(CommitStage.class);

  private final StorageContext context;
  private final GroupId region;
  private final OperationExecutor execution;
  private final Overlay overlay;
  private final boolean repliesAtCommit;
  private final boolean acceleratesReads;

  /** Empty while suspended, and if both options are off; guarded by this. */
  private Optional<EarlyReply> earlyReply = Optional.empty();

  /**
   * The keys of the region after the last admitted batch, without those that it has received and
   * whose rows are not applied yet; set before the overlay has the batch.
   */
  private volatile KeyRange range = KeyRange.of(Key.EMPTY, Key.EMPTY);

  /**
   * The position of the last batch by which the region has received keys, until it is applied; set
   * under the lock of this, and before {@link #range}.
   */
  private volatile Optional<Position> receivedAt = Optional.empty();

  /** The keys of the region after the last admitted batch; guarded by this. */
  private KeyRange admittedKeys = KeyRange.of(Key.EMPTY, Key.EMPTY);

  /** Position of the last admitted batch; guarded by this. */
  private Position admittedUpTo = Position.NONE;

  CommitStage(
      StorageContext context, GroupId region, OperationExecutor execution, Overlay overlay) {
    this.context = context;
    this.region = region;
    this.execution = execution;
    this.overlay = overlay;
    this.repliesAtCommit = context.options().replyAtCommit();
    this.acceleratesReads = context.options().readAcceleration();
  }

  /**
   * An accepted batch.
   *
   * @param capacity completes when the overlay has capacity for another batch
   * @param knownResults the commands whose result is known to be "done"
   */
  record AcceptedBatch(DecodedBatch batch, CompletionStage<Void> capacity, BitSet knownResults) {

    /** The batch for the applier, without the results that are completed at commit. */
    DecodedBatch forApplier() {
      return knownResults.isEmpty()
          ? batch
          : batch.withResults(
              (command, result) -> {
                if (!knownResults.get(command)) {
                  batch.results().complete(command, result);
                }
              });
    }

    /** Completes the known results, on the calling thread. */
    void completeKnown() {
      for (int i = knownResults.nextSetBit(0); i >= 0; i = knownResults.nextSetBit(i + 1)) {
        try {
          batch.results().complete(i, ByteBuffer.wrap(EncodedResults.DONE));
        } catch (RuntimeException e) {
          // A receiver that throws must not withhold the results of other commands.
          LOG.error("A result at {} could not be delivered", batch.position(), e);
        }
      }
    }
  }

  /** Whether reads see changes that are committed and not yet applied. */
  boolean acceleratesReads() {
    return acceleratesReads;
  }

  /**
   * The keys of the region at the position up to which the overlay is complete, or a later one; not
   * maintained without read acceleration. Any thread.
   */
  KeyRange range() {
    return range;
  }

  /** Accepts a batch. The caller then queues it for the applier and completes the known results. */
  synchronized AcceptedBatch accept(DecodedBatch batch) {
    BitSet knownResults = new BitSet();
    CompletionStage<Void> capacity = READY;
    if (earlyReply.isPresent() && !admittedUpTo.covers(batch.position())) {
      capacity = admit(earlyReply.get(), batch, knownResults);
    }
    if (!repliesAtCommit) {
      knownResults.clear();
    }
    return new AcceptedBatch(batch, capacity, knownResults);
  }

  private CompletionStage<Void> admit(EarlyReply replies, DecodedBatch batch, BitSet knownResults) {
    List<Operation.OnKey> effects = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      EarlyReply.Prediction prediction = predict(replies, batch, i);
      effects.addAll(prediction.effects());
      knownResults.set(i, prediction.done());
    }
    admittedUpTo = batch.position();
    advanceRange(replies.range(), batch.position());
    return acceleratesReads ? overlay.add(batch.position(), effects, batch.bytes()) : READY;
  }

  private static EarlyReply.Prediction predict(EarlyReply replies, DecodedBatch batch, int index) {
    ClientCommand command;
    try {
      command = batch.command(index);
    } catch (DecodeException e) {
      // The applier completes it with the reason.
      return EarlyReply.Prediction.UNKNOWN;
    }
    return replies.admit(command, batch.position());
  }

  /**
   * Keys that leave the region leave it at once. Keys that it receives wait until their rows are
   * applied: before that, the rows in the database are obsolete, and the overlay has none of them.
   */
  private void advanceRange(KeyRange next, Position position) {
    if (next.equals(admittedKeys)) {
      return;
    }
    if (!admittedKeys.covers(next)) {
      receivedAt = Optional.of(position);
    }
    admittedKeys = next;
    range = receivedAt.isPresent() ? range.intersect(next) : next;
  }

  /** Reports that the database contains every change up to a position. */
  void applied(Position position) {
    if (acceleratesReads) {
      overlay.applied(position);
      if (receivedAt.isPresent()) {
        receive(position);
      }
    }
  }

  private synchronized void receive(Position position) {
    if (receivedAt.filter(position::covers).isPresent()) {
      receivedAt = Optional.empty();
      range = admittedKeys;
    }
  }

  /** Leaves all work to the applier until the next {@link #restart}. */
  synchronized void suspend() {
    earlyReply = Optional.empty();
  }

  /**
   * Restarts from the state in the database and the waiting batches. No read may be running.
   *
   * @param applied the position of the state
   * @param shape the shape of the region in the state
   * @param waiting in log order; batches that the state contains are skipped
   */
  synchronized void restart(Position applied, RegionShape shape, List<DecodedBatch> waiting)
      throws IOException {
    if (!repliesAtCommit && !acceleratesReads) {
      return;
    }
    SessionTable sessions =
        new SessionTable(region, context.sessionWindow(), SessionTable.OwnRows.UNWRITTEN);
    Sessions.fill(sessions, context.database(), region);
    EarlyReply fresh = new EarlyReply(sessions, shape, execution);
    admittedUpTo = applied;
    receivedAt = Optional.empty();
    admittedKeys = shape.keys();
    range = admittedKeys;
    if (acceleratesReads) {
      overlay.restart(applied);
    }
    for (DecodedBatch batch : waiting) {
      if (!admittedUpTo.covers(batch.position())) {
        // Their known results are ignored: they were completed at commit, or will be at apply.
        admit(fresh, batch, new BitSet());
        batch.release();
      }
    }
    earlyReply = Optional.of(fresh);
  }

  void close() {
    overlay.close();
  }
}
