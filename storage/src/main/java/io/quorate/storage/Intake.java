package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.operation.Operation;
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
 * What is done with a batch when it is committed and before it is applied: its changes go into the
 * overlay, where reads are accelerated, and commands whose answer is known get it, where replies
 * leave at commit. The engine has made durable at a majority what it hands over, so that neither
 * promises more than the log holds.
 *
 * <p>Batches are taken by one thread at a time, and not while the intake is {@linkplain #suspend
 * suspended}: then, and for batches that the state contains already, everything is left to the
 * applier.
 */
final class Intake {
  private static final CompletableFuture<Void> ROOM = CompletableFuture.completedFuture(null);
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  private final StorageParts parts;
  private final GroupId region;
  private final Execution execution;
  private final Overlay overlay;
  private final boolean repliesAtCommit;
  private final boolean acceleratesReads;

  /** Missing while suspended, and where nothing is done in advance; guarded by this. */
  private Optional<Admission> admission = Optional.empty();

  /** Up to where batches have been admitted; guarded by this. */
  private Position admitted = Position.NONE;

  Intake(StorageParts parts, GroupId region, Execution execution, Overlay overlay) {
    this.parts = parts;
    this.region = region;
    this.execution = execution;
    this.overlay = overlay;
    this.repliesAtCommit = parts.options().replyAtCommit();
    this.acceleratesReads = parts.options().readAcceleration();
  }

  /**
   * A batch that was taken.
   *
   * @param room completes when the overlay has room for another batch
   * @param known the commands whose answer is known to be "done"
   */
  record Taken(CommittedBatch batch, CompletionStage<Void> room, BitSet known) {

    /** The batch as it is to be applied: without an answer for what has one already. */
    CommittedBatch forApplier() {
      return known.isEmpty()
          ? batch
          : new CommittedBatch(
              batch.position(),
              batch.commands(),
              (command, answer) -> {
                if (!known.get(command)) {
                  batch.results().complete(command, answer);
                }
              });
    }

    /** Gives the known answers, on the calling thread. */
    void answer() {
      for (int i = known.nextSetBit(0); i >= 0; i = known.nextSetBit(i + 1)) {
        try {
          batch.results().complete(i, ByteBuffer.wrap(Answers.DONE));
        } catch (RuntimeException e) {
          // A broken receiver must not keep the answers of the others.
          LOG.error("An answer at {} could not be handed over", batch.position(), e);
        }
      }
    }
  }

  /** Whether reads see what is committed and not yet applied. */
  boolean acceleratesReads() {
    return acceleratesReads;
  }

  /** Takes a batch, which is to be queued for the applier next and answered then. */
  synchronized Taken take(CommittedBatch batch) {
    BitSet known = new BitSet();
    CompletionStage<Void> room = ROOM;
    if (admission.isPresent() && !admitted.covers(batch.position())) {
      room = admit(admission.get(), batch, known);
    }
    if (!repliesAtCommit) {
      known.clear();
    }
    return new Taken(batch, room, known);
  }

  private CompletionStage<Void> admit(Admission by, CommittedBatch batch, BitSet known) {
    List<ByteBuffer> commands = batch.commands();
    List<Operation.OnKey> effects = new ArrayList<>(commands.size());
    for (int i = 0; i < commands.size(); i++) {
      Admission.Verdict verdict = by.admit(commands.get(i), batch.position());
      effects.addAll(verdict.effects());
      known.set(i, verdict.done());
    }
    admitted = batch.position();
    return acceleratesReads
        ? overlay.add(batch.position(), effects, ApplyQueue.bytes(batch))
        : ROOM;
  }

  /** The database has everything up to here. */
  void applied(Position position) {
    if (acceleratesReads) {
      overlay.applied(position);
    }
  }

  /** Leaves everything to the applier until the next {@link #restart}. */
  synchronized void suspend() {
    admission = Optional.empty();
  }

  /**
   * Begins anew over the state in the database, with the batches that wait. Nobody may be reading.
   *
   * @param applied the state's position
   * @param waiting in their order; those that the state contains do not count
   */
  synchronized void restart(Position applied, List<CommittedBatch> waiting) throws IOException {
    if (!repliesAtCommit && !acceleratesReads) {
      return;
    }
    SessionTable sessions = new SessionTable(parts.sessionWindow(), SessionTable.OwnRows.UNWRITTEN);
    Sessions.fill(sessions, parts.database(), region);
    Admission anew = new Admission(sessions, execution);
    admitted = applied;
    if (acceleratesReads) {
      overlay.restart(applied);
    }
    for (CommittedBatch batch : waiting) {
      if (!admitted.covers(batch.position())) {
        // What is known of them is not used: they were answered then, or will be when applied.
        admit(anew, batch, new BitSet());
      }
    }
    admission = Optional.of(anew);
  }

  void close() {
    overlay.close();
  }
}
