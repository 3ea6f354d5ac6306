package io.quorate.client;

/** What cannot go on before the map of the cluster is known. Called on the event loop. */
interface MapWaiter {
  void mapLearnt();

  /** No node that was asked belongs to a cluster that this client can use. */
  void mapRefused(QuorateException why);
}
