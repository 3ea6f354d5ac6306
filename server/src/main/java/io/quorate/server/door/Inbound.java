package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;

/** What {@link FrameReader} makes of a client's bytes. */
sealed interface Inbound {

  /**
   * A whole frame, admitted.
   *
   * @param body on the heap and nobody else's; may be kept
   */
  record Whole(long correlation, Opcode opcode, ByteBuf body, Permit permit) implements Inbound {}

  /** A frame that is passed over, and why. The connection goes on. */
  record Refused(long correlation, Status status, String message) implements Inbound {}

  /** The stream makes no sense from here on. The connection is to be closed. */
  record Broken(Status status, String message) implements Inbound {}
}
