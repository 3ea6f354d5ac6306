package io.quorate.rabia.transport;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * What a group hears from its peers. Called on event loops, several at a time, but of one peer in
 * the order in which it sent; must neither block nor throw. A peer is one that has greeted under
 * that name with its known disk; whether it is a member the group decides for itself.
 */
public interface GroupListener {

  /** A message has come. */
  void received(NodeId from, Message message);

  /**
   * There is a new connection on which this node's messages reach a peer. What was sent on an
   * earlier one may be lost (T1).
   */
  void connected(NodeId peer);

  /** Some node has become reachable or unreachable. */
  void reachabilityChanged();

  /**
   * A peer asks for something, such as a piece of a snapshot.
   *
   * @param request the group's to keep
   * @return the answer, on whatever thread; at most {@code rabia.frame-size-max} less 9 bytes long.
   *     Its failure is told to the peer as a sentence.
   */
  CompletionStage<ByteBuffer> asked(NodeId from, ByteBuffer request);
}
