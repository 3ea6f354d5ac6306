package io.quorate.client.internal.call;

import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.model.Guarantee;

/**
 * The requirements of a read.
 *
 * @param guarantee the guarantee that the read requires
 * @param quorumReads whether a node or this client merges read replies, where a quorum serves reads
 * @param allowNonLinearizableReads whether a linearizable read may be served with the guarantee for
 *     which the cluster is configured, if that is weaker
 */
public record ReadOptions(
    Guarantee guarantee, QuorumReads quorumReads, boolean allowNonLinearizableReads) {

  public static ReadOptions of(Guarantee guarantee, ClientOptions options) {
    return new ReadOptions(guarantee, options.quorumReads(), options.allowNonLinearizableReads());
  }

  /** Whether the read is served in the mode for which the cluster is configured. */
  boolean requiresLinearizability() {
    return guarantee.isLinearizable();
  }

  /**
   * @throws InvalidRequestException if the cluster provides a weaker guarantee than is required
   */
  void requireSupported(TopologySnapshot topology) {
    if (requiresLinearizability()
        && !allowNonLinearizableReads
        && !topology.reads().linearizable()) {
      throw new InvalidRequestException(
          "This cluster is set up for reads that may miss acknowledged writes (key reads of its"
              + " nodes), and this read requires linearizability. Use a weaker guarantee, or set"
              + " allowNonLinearizableReads in the client's options.");
    }
  }

  /** Whether this client queries several replicas and merges their replies. */
  boolean isMergedByClient(TopologySnapshot topology) {
    return requiresLinearizability()
        && quorumReads == QuorumReads.BY_CLIENT
        && topology.reads().quorumRule().isPresent();
  }
}
