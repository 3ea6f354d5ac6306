package io.quorate.replication.transport.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.quorate.common.DecodeException;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The first frames of a connection, in which two nodes identify each other. */
public sealed interface Handshake {

  /** What a connection is for. */
  enum Purpose {
    MESSAGES,
    BULK_REQUESTS,
    CONSENSUS_REQUESTS
  }

  /**
   * The dialing node's first frame.
   *
   * @param receiver the node that it means to reach
   */
  record Hello(Purpose purpose, LocalIdentity from, NodeId receiver) implements Handshake {
    @Override
    public ByteBuf greeting(ByteBufAllocator allocator) {
      ByteBuf frame = PeerFrames.beginGreeting(allocator, FrameType.HELLO);
      frame.writeInt(MAGIC).writeByte(VERSION).writeByte(purpose.ordinal());
      writeId(frame, from.cluster());
      writeFounding(frame, from.founding());
      writeNode(frame, from.node());
      writeId(frame, from.disk());
      writeStarts(frame, from.starts());
      writeNode(frame, receiver);
      return PeerFrames.endGreeting(frame);
    }
  }

  /** The response of a node that has recorded the other node's identity durably. */
  record Welcome(Optional<UUID> founding, NodeId node, UUID disk, Starts starts)
      implements Handshake {
    @Override
    public ByteBuf greeting(ByteBufAllocator allocator) {
      ByteBuf frame = PeerFrames.beginGreeting(allocator, FrameType.WELCOME);
      writeFounding(frame, founding);
      writeNode(frame, node);
      writeId(frame, disk);
      writeStarts(frame, starts);
      return PeerFrames.endGreeting(frame);
    }
  }

  /** The refusal of a connection; either side's last frame, at any time. */
  record Refused(RefusalReason reason, String detail) implements Handshake {
    @Override
    public ByteBuf greeting(ByteBufAllocator allocator) {
      ByteBuf frame = write(PeerFrames.beginGreeting(allocator, FrameType.REFUSED));
      // A node of another version must be able to read why it is refused.
      return reason == RefusalReason.VERSION
          ? PeerFrames.endPlainGreeting(frame)
          : PeerFrames.endGreeting(frame);
    }

    /** The encoding after the first frame of its direction. */
    public ByteBuf frame(ByteBufAllocator allocator) {
      int bodyBytes = PeerFrames.HANDSHAKE_BYTES_MAX / 4;
      return PeerFrames.end(write(PeerFrames.begin(allocator, FrameType.REFUSED, bodyBytes)));
    }

    private ByteBuf write(ByteBuf frame) {
      frame.writeByte(reason.code());
      PeerFrames.writeDetail(frame, detail);
      return frame;
    }
  }

  /** 'Q' 'R' 'B' 'A'. */
  int MAGIC = 0x51524241;

  int VERSION = 6;

  /** Stands for a founding that is not known; a random id is never this one. */
  UUID UNKNOWN = new UUID(0, 0);

  /** The encoded length of a start that is kept. */
  int RUN_BYTES = Long.BYTES + Integer.BYTES;

  /** A reason to refuse a connection; carries no stack trace. */
  public final class RefusalException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Refused refused;

    public RefusalException(RefusalReason reason, String detail) {
      super(detail, null, false, false);
      this.refused = new Refused(reason, detail);
    }

    public Refused refused() {
      return refused;
    }
  }

  /** The encoding as the first frame of its direction, in a new buffer. */
  ByteBuf greeting(ByteBufAllocator allocator);

  /**
   * Whether a first frame is to be read although it does not end with its checksum: another version
   * sent it, or another protocol, and the result is a sentence about that.
   *
   * @param frame begins with the type
   */
  static boolean isOfOtherVersion(ByteBuf frame) {
    int at = frame.readerIndex();
    int bytes = frame.readableBytes();
    if (bytes > 1 && frame.getByte(at) == FrameType.REFUSED.code()) {
      return frame.getByte(at + 1) == RefusalReason.VERSION.code();
    }
    return bytes > 1 + Integer.BYTES
        && frame.getByte(at) == FrameType.HELLO.code()
        && (frame.getInt(at + 1) != MAGIC || frame.getByte(at + 1 + Integer.BYTES) != VERSION);
  }

  /**
   * Reads a frame whose type has been read.
   *
   * @param engine the name of this node's engine, for the refusal of another protocol
   * @throws RefusalException if the frame is of another protocol or version
   * @throws DecodeException if the frame is malformed
   */
  static Hello readHello(ByteBuf frame, String engine) throws RefusalException {
    require(frame, Integer.BYTES + 1);
    if (frame.readInt() != MAGIC) {
      throw new RefusalException(
          RefusalReason.VERSION,
          "This is a port for nodes of a Quorate cluster under " + engine + ".");
    }
    int version = frame.readUnsignedByte();
    if (version != VERSION) {
      throw new RefusalException(
          RefusalReason.VERSION,
          "This node uses version "
              + VERSION
              + " of the protocol between nodes, and the other one uses version "
              + version
              + "; run the same release on both.");
    }
    require(frame, 1);
    int purpose = frame.readUnsignedByte();
    if (purpose >= Purpose.values().length) {
      throw new DecodeException("unknown connection purpose " + purpose);
    }
    LocalIdentity from =
        new LocalIdentity(
            readId(frame), readFounding(frame), readNode(frame), readId(frame), readStarts(frame));
    NodeId receiver = readNode(frame);
    requireEnd(frame);
    return new Hello(Purpose.values()[purpose], from, receiver);
  }

  /** Reads a frame whose type has been read. */
  static Welcome readWelcome(ByteBuf frame) {
    Welcome welcome =
        new Welcome(readFounding(frame), readNode(frame), readId(frame), readStarts(frame));
    requireEnd(frame);
    return welcome;
  }

  /** Reads a frame whose type has been read. */
  static Refused readRefused(ByteBuf frame) {
    require(frame, 1);
    return new Refused(RefusalReason.of(frame.readUnsignedByte()), PeerFrames.readDetail(frame));
  }

  private static void writeId(ByteBuf frame, UUID id) {
    frame.writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
  }

  private static UUID readId(ByteBuf frame) {
    require(frame, 2 * Long.BYTES);
    return new UUID(frame.readLong(), frame.readLong());
  }

  /** What a node tells while a connection lasts. */
  record News(Optional<UUID> founding, Starts starts) {}

  /** A frame with which a node tells that it has renewed its start, or knows its founding. */
  static ByteBuf news(ByteBufAllocator allocator, News news) {
    int bytes = 3 * Long.BYTES + news.starts().runs().size() * RUN_BYTES;
    ByteBuf frame = PeerFrames.begin(allocator, FrameType.STARTS, bytes);
    writeFounding(frame, news.founding());
    writeStarts(frame, news.starts());
    return PeerFrames.end(frame);
  }

  /** Reads the rest of a frame whose type has been read. */
  static News readNews(ByteBuf frame) {
    News news = new News(readFounding(frame), readStarts(frame));
    requireEnd(frame);
    return news;
  }

  private static void writeFounding(ByteBuf frame, Optional<UUID> founding) {
    writeId(frame, founding.orElse(UNKNOWN));
  }

  private static Optional<UUID> readFounding(ByteBuf frame) {
    return Optional.of(readId(frame)).filter(id -> !id.equals(UNKNOWN));
  }

  private static void writeStarts(ByteBuf frame, Starts starts) {
    frame.writeLong(starts.number());
    starts.runs().forEach(run -> frame.writeLong(run.id()).writeInt(run.renewals()));
  }

  private static Starts readStarts(ByteBuf frame) {
    require(frame, Long.BYTES);
    long number = frame.readLong();
    if (number < 0) {
      throw new DecodeException("a handshake frame has a negative number of starts");
    }
    int kept = (int) Math.min(number, Starts.KEPT_MAX);
    require(frame, kept * RUN_BYTES);
    List<Starts.Run> runs = new ArrayList<>(kept);
    for (int i = 0; i < kept; i++) {
      long id = frame.readLong();
      int renewals = frame.readInt();
      if (renewals < 0) {
        throw new DecodeException("a start has a negative number of renewals");
      }
      runs.add(new Starts.Run(id, renewals));
    }
    return new Starts(number, runs);
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
      throw new DecodeException("a handshake frame has an invalid node id");
    }
  }

  private static void require(ByteBuf frame, int bytes) {
    if (frame.readableBytes() < bytes) {
      throw new DecodeException("a handshake frame ends early");
    }
  }

  private static void requireEnd(ByteBuf frame) {
    if (frame.isReadable()) {
      throw new DecodeException("a handshake frame has bytes after its end");
    }
  }
}
