package io.quorate.benchmarks.paper.experiment;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.client.ClientOptions.QuorumReads;

/**
 * One of the compared systems. Systems with the same deployment are measured on the same cluster.
 *
 * @param name in tables and plots
 * @param deployment configuration of its nodes
 * @param quorumReads whether nodes or clients merge quorum reads, if there are any
 */
public record SystemUnderTest(String name, Deployment deployment, QuorumReads quorumReads) {

  /** A system whose nodes do all the work of a read. */
  public SystemUnderTest(String name, Deployment deployment) {
    this(name, deployment, QuorumReads.BY_NODE);
  }

  @Override
  public String toString() {
    return name;
  }
}
