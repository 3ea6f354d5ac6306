package io.quorate.client.internal.connection;

import io.netty.buffer.ByteBuf;
import io.quorate.protocol.wire.Opcode;

/**
 * One request on a connection, and the receiver of its response. Every method is called on the
 * client's event loop; exactly one of {@link #succeeded} and {@link #failed} is called, once,
 * unless the request is no longer wanted when it could be sent, or one of the methods has thrown
 * something else than it may, which {@link #thrown} receives.
 */
public interface PendingRequest extends Guarded {
  Opcode opcode();

  /** An upper bound of the number of bytes that {@link #writeBody} writes. */
  int bodyBytes();

  /** Writes the body. Called when the request is sent, at most once. */
  void writeBody(ByteBuf to);

  /** Whether it should still be sent. */
  boolean isWanted();

  /**
   * Reads the body of the response, which must not be used after this method returns.
   *
   * @throws io.quorate.common.DecodeException if the body is malformed; the connection is then
   *     closed and {@link #failed} is called
   */
  void succeeded(ByteBuf body);

  void failed(AttemptFailure failure);
}
