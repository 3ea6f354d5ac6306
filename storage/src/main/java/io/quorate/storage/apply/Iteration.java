package io.quorate.storage.apply;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an iteration of a {@link RegionApplier} has applied.
 *
 * @param results those of the commands of each batch
 */
record Iteration(List<CommittedBatch> batches, List<byte[][]> results) {
  static final Iteration NOTHING = new Iteration(List.of(), List.of());

  /** To be repeated soon: a region that this one absorbs is changing. */
  static final Iteration LATER = new Iteration(List.of(), List.of());

  private static final Logger LOG = LoggerFactory.getLogger(Iteration.class);

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
