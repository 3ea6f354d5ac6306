package io.quorate.replication.transport.handshake;

import io.quorate.model.NodeId;
import java.io.IOException;

/** Events of the connections to peers. Called on any thread; must neither block nor throw. */
public interface PeerEvents {

  /**
   * A peer has recorded this node's disk, and this node has recorded that for the first time, both
   * durably: groups may have formed now ({@link PeerIdentities#hasFormed}).
   */
  void acceptedBy(NodeId peer);

  /** A peer has refused a connection of this node. Called for every attempt. */
  void refusedBy(NodeId peer, RefusalReason reason, String detail);

  /**
   * An identity could not be made durable. The node must stop (P1); until then it records nothing.
   */
  void failed(IOException why);
}
