package io.quorate.storage.apply;

import io.quorate.consensus.CommittedBatch;
import io.quorate.model.GroupId;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an iteration of a {@link RegionApplier} has done.
 *
 * @param batches those that it has applied; none unless the outcome is {@link Outcome#APPLIED}
 * @param results those of the commands of each batch
 */
record Iteration(Outcome outcome, List<DecodedBatch> batches, List<byte[][]> results) {
  private static final Logger LOG = LoggerFactory.getLogger(Iteration.class);

  /** How an iteration ends that does not fail. */
  enum Outcome {
    /** At least one batch is applied and written. */
    APPLIED,
    /**
     * No batch waits, or the region is being changed; who adds one or ends the change schedules the
     * next iteration.
     */
    NOTHING,
    /** To be repeated soon: a region that this one absorbs is changing. Nothing has changed. */
    LATER
  }

  static Iteration of(List<DecodedBatch> batches, List<byte[][]> results) {
    return new Iteration(Outcome.APPLIED, batches, results);
  }

  /** An iteration that has applied nothing. */
  static Iteration without(Outcome outcome) {
    return new Iteration(outcome, List.of(), List.of());
  }

  /** Completes the results, on the calling thread. */
  void complete(GroupId region) {
    for (int b = 0; b < batches.size(); b++) {
      CommittedBatch.Results receiver = batches.get(b).results();
      byte[][] ofBatch = results.get(b);
      for (int i = 0; i < ofBatch.length; i++) {
        try {
          receiver.complete(i, ByteBuffer.wrap(ofBatch[i]));
        } catch (RuntimeException e) {
          // A receiver that throws must not withhold the results of other commands.
          LOG.error("A result of region {} could not be delivered", region, e);
        }
      }
    }
  }
}
