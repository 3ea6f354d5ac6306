package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.model.NodeId;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * Receives the messages and requests of peers for one group. Called on event loops, concurrently
 * for different peers, but for one peer in the order in which it sent; must neither block nor
 * throw, unless stated otherwise. A peer has completed the handshake under its id with its recorded
 * disk; the group checks whether it is a member.
 */
public interface GroupListener {

  /**
   * A message was received.
   *
   * @param message the encoding of one message, to be read in this call; the buffer belongs to the
   *     transport
   * @throws DecodeException if the message is malformed; the connection is refused then
   */
  void received(NodeId from, ByteBuf message);

  /**
   * A new connection for this node's messages to a peer is open. Messages sent on an earlier one
   * may be lost (T1).
   */
  void connected(NodeId peer);

  /** Some node has become reachable or unreachable. */
  void reachabilityChanged();

  /**
   * A peer has sent a request, such as for a chunk of a snapshot.
   *
   * @param request belongs to the group after this call
   * @return the response, completed on any thread; at most {@code frame-size-max} less 9 bytes
   *     long. The message of a failure is sent to the peer.
   */
  CompletionStage<ByteBuffer> onRequest(NodeId from, ByteBuffer request);
}
