package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.Opcode;

/**
 * One request on its way over a connection, and what takes its answer. Every method is called on
 * the client's event loop; exactly one of {@link #succeeded} and {@link #failed} is called, once,
 * unless the exchange is no longer wanted when its turn to be sent comes.
 */
interface Exchange {
  Opcode opcode();

  /** At least as many bytes as {@link #writeBody} writes. */
  int bodyBytes();

  /** Called when the request is really sent, once at most. */
  void writeBody(ByteBuf to);

  /** Whether it should still be sent. */
  boolean isWanted();

  /**
   * Takes the body of the answer, which is not to be used after the call.
   *
   * @throws io.quorate.operation.MalformedException if the body is not what it should be; the
   *     connection is then closed and the exchange {@link #failed}
   */
  void succeeded(ByteBuf body);

  void failed(Setback setback);
}
