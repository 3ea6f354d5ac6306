package io.quorate.client;

/** Waits until the topology of the cluster is known. Called on the event loop. */
interface TopologyWaiter {
  void topologyLearned();

  /** Called when no queried node belongs to a cluster that this client can use. */
  void topologyRejected(QuorateException cause);
}
