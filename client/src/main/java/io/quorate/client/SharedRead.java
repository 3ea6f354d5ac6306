package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Share;

/**
 * A read as it is asked of several replicas, each of which gives its share.
 *
 * @param <T> what is read
 */
interface SharedRead<T> {
  /** Length of the body after the routing. */
  int bodyBytes();

  /**
   * Writes the body after the routing.
   *
   * @param atLeast what the replica has to have executed first
   */
  void writeBody(ByteBuf to, Position atLeast);

  /**
   * Reads the body of the answer of a replica.
   *
   * @throws io.quorate.operation.MalformedException if it is not what it should be
   */
  Share<T> read(ByteBuf body, NodeId replica);
}
