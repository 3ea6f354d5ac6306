package io.quorate.rabia.codec;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Checkpoint.ExecutedIncarnation;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Digest;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the fields that {@link FieldWriter} writes. Where the bytes are malformed, every method
 * throws {@link DecodeException} and nothing else. Allocations are proportional to the remaining
 * bytes.
 */
final class FieldReader {
  private static final int NODE_BYTES_MAX = 64;
  private static final int VARINT_SHIFT_LAST = 63;

  private final ByteBuf from;

  FieldReader(ByteBuf from) {
    this.from = from;
  }

  /**
   * Returns the decoded value.
   *
   * @throws DecodeException if bytes are left after it
   */
  <T> T complete(T read) {
    if (from.isReadable()) {
      throw new DecodeException(
          from.readableBytes() + " bytes are left after the end of the value.");
    }
    return read;
  }

  int oneByte() {
    require(1);
    return from.readUnsignedByte();
  }

  boolean flag() {
    int value = oneByte();
    if (value > 1) {
      throw new DecodeException("A flag is 0 or 1, not " + value + ".");
    }
    return value == 1;
  }

  long varint() {
    long value = 0;
    for (int shift = 0; shift <= VARINT_SHIFT_LAST; shift += 7) {
      int part = oneByte();
      if (shift == VARINT_SHIFT_LAST && part > 1) {
        break;
      }
      value |= (long) (part & 0x7f) << shift;
      if (part < 0x80) {
        return value;
      }
    }
    throw new DecodeException("A varint has more than 64 bits.");
  }

  long signed() {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** The phase of a slot, counted from 1. */
  int phase() {
    long phase = varint();
    if (phase < 1 || phase > Integer.MAX_VALUE) {
      throw new DecodeException(
          "A phase is between 1 and " + Integer.MAX_VALUE + ", not " + phase + ".");
    }
    return (int) phase;
  }

  Ballot ballot() {
    int ballot = oneByte();
    return switch (ballot) {
      case FieldWriter.BALLOT_ZERO -> Ballot.ZERO;
      case FieldWriter.BALLOT_ONE -> Ballot.ONE;
      case FieldWriter.BALLOT_UNDECIDED -> Ballot.UNDECIDED;
      default -> throw new DecodeException("Unknown ballot " + ballot + ".");
    };
  }

  Position position() {
    long epoch = varint();
    return new Position(epoch, signed());
  }

  NodeId node() {
    return node(oneByte());
  }

  private NodeId node(int length) {
    if (length > NODE_BYTES_MAX) {
      throw new DecodeException(
          "A node id has at most " + NODE_BYTES_MAX + " bytes, not " + length + ".");
    }
    require(length);
    String name = from.readCharSequence(length, StandardCharsets.US_ASCII).toString();
    try {
      return new NodeId(name);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(
          "A node id has characters other than letters, digits, '-', '_' and '.'.");
    }
  }

  /** The id of a batch, or {@link BatchId#NONE}. */
  BatchId batchId() {
    int length = oneByte();
    if (length == FieldWriter.NO_BATCH) {
      return BatchId.NONE;
    }
    NodeId origin = node(length);
    long incarnation = signed();
    long sequence = varint();
    if (sequence < 0) {
      throw new DecodeException("The sequence number of a batch has more than 63 bits.");
    }
    require(2 * Long.BYTES);
    return new BatchId(origin, incarnation, sequence, new Digest(from.readLong(), from.readLong()));
  }

  Batch batch() {
    BatchId id = batchId();
    if (id.isNone()) {
      throw new DecodeException("A batch has no id.");
    }
    require(Long.BYTES);
    return new Batch(id, from.readLong(), body());
  }

  private Body body() {
    int kind = oneByte();
    return switch (kind) {
      case FieldWriter.COMMANDS -> new Body.Commands(commands());
      case FieldWriter.RECONFIGURATION -> new Body.Reconfiguration(signed(), 0, members());
      case FieldWriter.NUMBERED_RECONFIGURATION -> numberedReconfiguration();
      default -> throw new DecodeException("Unknown kind of body " + kind + ".");
    };
  }

  private Body numberedReconfiguration() {
    long basedOn = signed();
    long number = varint();
    if (number < 1) {
      throw new DecodeException("A change of members has the number " + number + ".");
    }
    return new Body.Reconfiguration(basedOn, number, members());
  }

  /** Copies the bytes once; the commands share the copy. */
  private List<ByteBuffer> commands() {
    require(Integer.BYTES);
    int count = from.readInt();
    if (count < 0 || count > from.readableBytes() / Integer.BYTES) {
      throw new DecodeException(
          "A batch declares " + count + " commands in " + from.readableBytes() + " bytes.");
    }
    int lengths = from.readerIndex();
    from.skipBytes(count * Integer.BYTES);
    long total = 0;
    for (int i = 0; i < count; i++) {
      int length = from.getInt(lengths + i * Integer.BYTES);
      if (length < 0) {
        throw new DecodeException("A command declares " + length + " bytes.");
      }
      total += length;
    }
    require(total);
    byte[] bytes = new byte[(int) total];
    from.readBytes(bytes);
    List<ByteBuffer> commands = new ArrayList<>(count);
    int offset = 0;
    for (int i = 0; i < count; i++) {
      int length = from.getInt(lengths + i * Integer.BYTES);
      commands.add(ByteBuffer.wrap(bytes, offset, length).slice());
      offset += length;
    }
    return commands;
  }

  Decided outcome() {
    int kind = oneByte();
    switch (kind) {
      case FieldWriter.NULL:
        return Decided.NULL;
      case FieldWriter.ID_ONLY:
        return new Decided(batchId(), Optional.empty());
      case FieldWriter.WITH_BATCH:
        Batch batch = batch();
        return new Decided(batch.id(), Optional.of(batch));
      default:
        throw new DecodeException("Unknown kind of outcome " + kind + ".");
    }
  }

  private List<Member> members() {
    int count = count();
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      NodeId node = node();
      byte[] host = new byte[count()];
      from.readBytes(host);
      require(Short.BYTES);
      members.add(
          new Member(
              node,
              InetSocketAddress.createUnresolved(
                  new String(host, StandardCharsets.UTF_8), from.readUnsignedShort())));
    }
    return members;
  }

  private Configuration configuration() {
    long epoch = varint();
    long start = signed();
    List<Member> members = members();
    if (!Configuration.isPossible(members)) {
      throw new DecodeException(
          "A configuration has 1 to " + Configuration.MEMBERS_MAX + " different members.");
    }
    return new Configuration(epoch, start, members);
  }

  Checkpoint checkpoint() {
    Position at = position();
    List<Configuration> configurations = new ArrayList<>();
    for (int left = count(); left > 0; left--) {
      configurations.add(configuration());
    }
    if (configurations.isEmpty()) {
      throw new DecodeException("A checkpoint has no configuration.");
    }
    Map<NodeId, List<ExecutedIncarnation>> executed = new HashMap<>();
    for (int left = count(); left > 0; left--) {
      NodeId origin = node();
      if (executed.put(origin, executedIncarnations()) != null) {
        throw new DecodeException("A checkpoint contains " + origin + " twice.");
      }
    }
    return new Checkpoint(at, configurations, executed);
  }

  private List<ExecutedIncarnation> executedIncarnations() {
    List<ExecutedIncarnation> incarnations = new ArrayList<>();
    for (int left = count(); left > 0; left--) {
      long incarnation = signed();
      long watermark = signed();
      List<Long> beyond = new ArrayList<>();
      for (int numbers = count(); numbers > 0; numbers--) {
        beyond.add(signed());
      }
      incarnations.add(new ExecutedIncarnation(incarnation, watermark, beyond));
    }
    return incarnations;
  }

  /** The number of elements that follow. Each element has at least one byte. */
  int count() {
    long count = varint();
    if (count < 0 || count > from.readableBytes()) {
      throw new DecodeException(
          "An element count of "
              + Long.toUnsignedString(count)
              + " is followed by "
              + from.readableBytes()
              + " bytes only.");
    }
    return (int) count;
  }

  private void require(long bytes) {
    if (from.readableBytes() < bytes) {
      throw new DecodeException(
          bytes + " more bytes are needed, but " + from.readableBytes() + " are left.");
    }
  }
}
