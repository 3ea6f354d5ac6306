package io.quorate.rabia.transport;

import io.quorate.consensus.NodeId;
import java.io.IOException;

/** What a node hears of its peers as nodes. Called on any thread; must neither block nor throw. */
public interface PeerEvents {

  /**
   * A peer has written this node's disk down, for the first time, and this node knows so durably:
   * groups may have formed now ({@link PeerIdentities#hasFormed}).
   */
  void acceptedBy(NodeId peer);

  /** A peer does not talk to this node. Said with every attempt. */
  void refusedBy(NodeId peer, RefusalReason reason, String sentence);

  /**
   * An identity could not be made durable. The node must stop (P1): until then it makes no new
   * acquaintance.
   */
  void failed(IOException why);
}
