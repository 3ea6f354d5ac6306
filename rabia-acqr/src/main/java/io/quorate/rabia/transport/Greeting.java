package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** What two nodes say to each other before anything else. */
sealed interface Greeting {

  /** What a connection is for. */
  enum Purpose {
    MESSAGES,
    REQUESTS
  }

  /**
   * The dialing node's first frame.
   *
   * @param meant the node it wants to talk to
   */
  record Hello(Purpose purpose, LocalIdentity from, NodeId meant) implements Greeting {}

  /** The answer of a node that now knows the other one durably. */
  record Welcome(NodeId node, UUID disk) implements Greeting {}

  /** The other answer; either side's last frame, at any time. */
  record Refused(RefusalReason reason, String sentence) implements Greeting {}

  /** 'Q' 'R' 'B' 'A'. */
  int MAGIC = 0x51524241;

  int VERSION = 2;

  /** A greeting that says what a node cannot accept; carries no stack trace. */
  final class RefusalException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Refused refused;

    RefusalException(RefusalReason reason, String sentence) {
      super(sentence, null, false, false);
      this.refused = new Refused(reason, sentence);
    }

    Refused refused() {
      return refused;
    }
  }

  default ByteBuf frame(ByteBufAllocator allocator) {
    if (this instanceof Hello hello) {
      ByteBuf frame = begin(allocator, FrameType.HELLO);
      frame.writeInt(MAGIC).writeByte(VERSION).writeByte(hello.purpose().ordinal());
      writeId(frame, hello.from().cluster());
      writeNode(frame, hello.from().node());
      writeId(frame, hello.from().disk());
      writeNode(frame, hello.meant());
      return Frames.end(frame);
    } else if (this instanceof Welcome welcome) {
      ByteBuf frame = begin(allocator, FrameType.WELCOME);
      writeNode(frame, welcome.node());
      writeId(frame, welcome.disk());
      return Frames.end(frame);
    } else if (this instanceof Refused refused) {
      ByteBuf frame = begin(allocator, FrameType.REFUSED);
      frame.writeByte(refused.reason().code());
      Frames.writeSentence(frame, refused.sentence());
      return Frames.end(frame);
    }
    throw new IllegalStateException("Not a greeting: " + this);
  }

  /**
   * Reads a frame of which the type has been read.
   *
   * @throws RefusalException if it is of another protocol or version
   * @throws MalformedException if it cannot be read
   */
  static Hello readHello(ByteBuf frame) throws RefusalException {
    require(frame, Integer.BYTES + 1);
    if (frame.readInt() != MAGIC) {
      throw new RefusalException(
          RefusalReason.VERSION, "This is a port for nodes of a Quorate cluster under Rabia.");
    }
    int version = frame.readUnsignedByte();
    if (version != VERSION) {
      throw new RefusalException(
          RefusalReason.VERSION,
          "This node speaks version "
              + VERSION
              + " of the protocol between nodes, and the other one version "
              + version
              + "; run the same release on both.");
    }
    require(frame, 1);
    int purpose = frame.readUnsignedByte();
    if (purpose >= Purpose.values().length) {
      throw new MalformedException("there is no connection for purpose " + purpose);
    }
    UUID cluster = readId(frame);
    NodeId node = readNode(frame);
    UUID disk = readId(frame);
    NodeId meant = readNode(frame);
    requireEnd(frame);
    return new Hello(Purpose.values()[purpose], new LocalIdentity(cluster, node, disk), meant);
  }

  /** Reads a frame of which the type has been read. */
  static Welcome readWelcome(ByteBuf frame) {
    Welcome welcome = new Welcome(readNode(frame), readId(frame));
    requireEnd(frame);
    return welcome;
  }

  /** Reads a frame of which the type has been read. */
  static Refused readRefused(ByteBuf frame) {
    require(frame, 1);
    return new Refused(RefusalReason.of(frame.readUnsignedByte()), Frames.readSentence(frame));
  }

  private static ByteBuf begin(ByteBufAllocator allocator, FrameType type) {
    return Frames.begin(allocator, type, Frames.GREETING_BYTES_MAX / 4);
  }

  private static void writeId(ByteBuf frame, UUID id) {
    frame.writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
  }

  private static UUID readId(ByteBuf frame) {
    require(frame, 2 * Long.BYTES);
    return new UUID(frame.readLong(), frame.readLong());
  }

  private static void writeNode(ByteBuf frame, NodeId node) {
    frame.writeByte(node.value().length());
    frame.writeCharSequence(node.value(), StandardCharsets.US_ASCII);
  }

  private static NodeId readNode(ByteBuf frame) {
    require(frame, 1);
    int length = frame.readUnsignedByte();
    require(frame, length);
    String text = frame.readString(length, StandardCharsets.US_ASCII);
    try {
      return new NodeId(text);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("a greeting has an impossible node id");
    }
  }

  private static void require(ByteBuf frame, int bytes) {
    if (frame.readableBytes() < bytes) {
      throw new MalformedException("a greeting ends early");
    }
  }

  private static void requireEnd(ByteBuf frame) {
    if (frame.isReadable()) {
      throw new MalformedException("a greeting goes on after its end");
    }
  }
}
