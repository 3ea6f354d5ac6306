package io.quorate.rabia.codec;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.operation.MalformedException;
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
 * Reads what {@link FieldWriter} writes. Every method throws {@link MalformedException} where the
 * bytes are not of that form, and nothing else; it allocates in proportion to what is left to read.
 */
final class FieldReader {
  private static final int NODE_BYTES_MOST = 64;
  private static final int VARINT_SHIFT_LAST = 63;

  private final ByteBuf from;

  FieldReader(ByteBuf from) {
    this.from = from;
  }

  /** Says that nothing may be left. */
  <T> T complete(T read) {
    if (from.isReadable()) {
      throw new MalformedException(
          from.readableBytes() + " bytes are left after the end of what was read.");
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
      throw new MalformedException("A flag is 0 or 1, not " + value + ".");
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
    throw new MalformedException("A number has more than 64 bits.");
  }

  long signed() {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** The phase of a slot, which counts from 1. */
  int phase() {
    long phase = varint();
    if (phase < 1 || phase > Integer.MAX_VALUE) {
      throw new MalformedException(
          "Phases count from 1 in 31 bits, so that none is " + phase + ".");
    }
    return (int) phase;
  }

  Ballot ballot() {
    int ballot = oneByte();
    return switch (ballot) {
      case FieldWriter.BALLOT_ZERO -> Ballot.ZERO;
      case FieldWriter.BALLOT_ONE -> Ballot.ONE;
      case FieldWriter.BALLOT_UNDECIDED -> Ballot.UNDECIDED;
      default -> throw new MalformedException("There is no ballot " + ballot + ".");
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
    if (length > NODE_BYTES_MOST) {
      throw new MalformedException(
          "The name of a node has at most " + NODE_BYTES_MOST + " bytes, not " + length + ".");
    }
    require(length);
    String name = from.readCharSequence(length, StandardCharsets.US_ASCII).toString();
    try {
      return new NodeId(name);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(
          "The name of a node consists of other than letters, digits, '-', '_' and '.'.");
    }
  }

  /** A name of a batch, or {@link BatchId#NONE}. */
  BatchId batchId() {
    int length = oneByte();
    if (length == FieldWriter.NO_BATCH) {
      return BatchId.NONE;
    }
    NodeId origin = node(length);
    long incarnation = signed();
    long sequence = varint();
    if (sequence < 0) {
      throw new MalformedException("The number of a batch has more than 63 bits.");
    }
    require(2 * Long.BYTES);
    return new BatchId(origin, incarnation, sequence, new Digest(from.readLong(), from.readLong()));
  }

  Batch batch() {
    BatchId id = batchId();
    if (id.isNone()) {
      throw new MalformedException("A batch has no name.");
    }
    require(Long.BYTES);
    return new Batch(id, from.readLong(), body());
  }

  private Body body() {
    int kind = oneByte();
    return switch (kind) {
      case FieldWriter.COMMANDS -> new Body.Commands(commands());
      case FieldWriter.RECONFIGURATION -> new Body.Reconfiguration(signed(), members());
      default -> throw new MalformedException("There is no body of kind " + kind + ".");
    };
  }

  /** Copies the bytes once; the commands share the copy. */
  private List<ByteBuffer> commands() {
    require(Integer.BYTES);
    int count = from.readInt();
    if (count < 0 || count > from.readableBytes() / Integer.BYTES) {
      throw new MalformedException(
          "A batch claims " + count + " commands where " + from.readableBytes() + " bytes are.");
    }
    int lengths = from.readerIndex();
    from.skipBytes(count * Integer.BYTES);
    long total = 0;
    for (int i = 0; i < count; i++) {
      int length = from.getInt(lengths + i * Integer.BYTES);
      if (length < 0) {
        throw new MalformedException("A command claims " + length + " bytes.");
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
      case FieldWriter.ID_ALONE:
        return new Decided(batchId(), Optional.empty());
      case FieldWriter.WITH_BATCH:
        Batch batch = batch();
        return new Decided(batch.id(), Optional.of(batch));
      default:
        throw new MalformedException("There is no outcome of kind " + kind + ".");
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
      throw new MalformedException(
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
      throw new MalformedException("A checkpoint has no configuration.");
    }
    Map<NodeId, List<ExecutedIncarnation>> executed = new HashMap<>();
    for (int left = count(); left > 0; left--) {
      NodeId origin = node();
      if (executed.put(origin, executedOfOne()) != null) {
        throw new MalformedException("A checkpoint names " + origin + " twice.");
      }
    }
    return new Checkpoint(at, configurations, executed);
  }

  private List<ExecutedIncarnation> executedOfOne() {
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

  /** How many things follow, each of which has a byte at least. */
  int count() {
    long count = varint();
    if (count < 0 || count > from.readableBytes()) {
      throw new MalformedException(
          "A count of "
              + Long.toUnsignedString(count)
              + " is followed by "
              + from.readableBytes()
              + " bytes only.");
    }
    return (int) count;
  }

  private void require(long bytes) {
    if (from.readableBytes() < bytes) {
      throw new MalformedException(
          bytes + " more bytes are needed where " + from.readableBytes() + " are left.");
    }
  }
}
