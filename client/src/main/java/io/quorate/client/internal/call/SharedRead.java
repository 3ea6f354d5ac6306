package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;

/**
 * A quorum read that is sent to several replicas, each of which responds with a read reply.
 *
 * @param <T> the type of the value that is read
 */
interface SharedRead<T> {
  /** The length of the body after the routing part. */
  int bodyBytes();

  /**
   * Writes the body after the routing part.
   *
   * @param atLeast the position that the replica must have applied before it responds
   */
  void writeBody(ByteBuf to, Position atLeast);

  /**
   * Reads the body of a replica's response.
   *
   * @throws io.quorate.common.DecodeException if the body is malformed
   */
  ReadReply<T> read(ByteBuf body, NodeId replica);
}
