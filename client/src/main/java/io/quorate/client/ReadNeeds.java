package io.quorate.client;

import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.consensus.Guarantee;

/**
 * What a read needs, and what it is content with.
 *
 * @param quorumReads who merges shares, where a quorum serves
 * @param weakerReads whether it is content with what the cluster is set up for, where that is
 *     weaker
 */
record ReadNeeds(Guarantee guarantee, QuorumReads quorumReads, boolean weakerReads) {

  static ReadNeeds of(Guarantee guarantee, ClientOptions options) {
    return new ReadNeeds(guarantee, options.quorumReads(), options.weakerReads());
  }

  /** Whether it is served in the way that the cluster is set up for. */
  boolean asksLinearizable() {
    return guarantee instanceof Guarantee.Linearizable
        || guarantee instanceof Guarantee.LinearizableIfClocksBounded;
  }

  /**
   * @throws InvalidRequestException if the cluster promises less than is asked for
   */
  void requireMet(ClusterMap map) {
    if (asksLinearizable() && !weakerReads && !map.reads().linearizable()) {
      throw new InvalidRequestException(
          "This cluster is set up for reads that may miss acknowledged writes (key reads of its"
              + " nodes), and this read asks for linearizability. Ask for what is local, or set"
              + " weakerReads in the client's options.");
    }
  }

  /** Whether this client asks several replicas and merges what they say. */
  boolean isMergedHere(ClusterMap map) {
    return asksLinearizable()
        && quorumReads == QuorumReads.BY_CLIENT
        && map.reads().quorumRule().isPresent();
  }
}
