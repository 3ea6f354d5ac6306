package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.client.ClientOptions.QuorumReads;

/**
 * One of the systems that are compared. Those with the same deployment are measured on the same
 * cluster.
 *
 * @param name in tables and plots
 * @param deployment how its nodes are set up
 * @param quorumReads who merges quorum reads, where there are such
 */
public record Contender(String name, Deployment deployment, QuorumReads quorumReads) {

  /** A contender whose nodes do all there is to do for a read. */
  public Contender(String name, Deployment deployment) {
    this(name, deployment, QuorumReads.BY_NODE);
  }

  @Override
  public String toString() {
    return name;
  }
}
