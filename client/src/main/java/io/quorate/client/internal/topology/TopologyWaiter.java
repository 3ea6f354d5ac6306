package io.quorate.client.internal.topology;

import io.quorate.client.QuorateException;
import io.quorate.client.internal.connection.Guarded;

/** Waits until the topology of the cluster is known. Called on the event loop. */
public interface TopologyWaiter extends Guarded {
  void topologyLearned();

  /** Called when no queried node belongs to a cluster that this client can use. */
  void topologyRejected(QuorateException cause);
}
