package io.quorate.server.rpc.request;

import io.netty.buffer.ByteBuf;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.server.rpc.FrameReader;

/** The output of {@link FrameReader}. */
public sealed interface DecodedFrame {

  /**
   * A complete frame whose request is admitted.
   *
   * @param body on the heap; owned by the receiver, which may keep it
   */
  record Complete(long correlation, Opcode opcode, ByteBuf body, Permit permit)
      implements DecodedFrame {
    @Override
    public void accept(Visitor visitor) {
      visitor.complete(this);
    }
  }

  /** A frame that is skipped, with the reason. The connection stays usable. */
  record Rejected(long correlation, Status status, String message) implements DecodedFrame {
    @Override
    public void accept(Visitor visitor) {
      visitor.rejected(this);
    }
  }

  /** The rest of the stream cannot be decoded. The connection must be closed. */
  record Broken(Status status, String message, Cause cause) implements DecodedFrame {
    @Override
    public void accept(Visitor visitor) {
      visitor.broken(this);
    }
  }

  /** Why the rest of a stream cannot be decoded. */
  enum Cause {
    /** The client speaks another protocol, or another version. */
    PREAMBLE,
    /** The client violates the protocol. */
    PROTOCOL,
    /** A frame does not match its checksum. */
    ALTERED
  }

  /** Processes a frame of each kind. */
  interface Visitor {
    void complete(Complete frame);

    void rejected(Rejected frame);

    void broken(Broken frame);
  }

  void accept(Visitor visitor);
}
