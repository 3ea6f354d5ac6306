package io.quorate.rabia.codec;

import io.netty.buffer.ByteBuf;
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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Writes the fields that messages and records have in common. {@link FieldReader} reads them. */
final class FieldWriter {
  static final int BALLOT_ZERO = 0;
  static final int BALLOT_ONE = 1;
  static final int BALLOT_UNDECIDED = 2;
  static final int NO_BATCH = 0;
  static final int COMMANDS = 1;
  static final int RECONFIGURATION = 2;
  static final int NUMBERED_RECONFIGURATION = 3;
  static final int NULL = 0;
  static final int ID_ONLY = 1;
  static final int WITH_BATCH = 2;

  private static final int PORT_BYTES = Short.BYTES;

  private final ByteBuf to;

  FieldWriter(ByteBuf to) {
    this.to = to;
  }

  FieldWriter oneByte(int value) {
    to.writeByte(value);
    return this;
  }

  FieldWriter flag(boolean value) {
    return oneByte(value ? 1 : 0);
  }

  FieldWriter varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      to.writeByte((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    to.writeByte((int) rest);
    return this;
  }

  FieldWriter signed(long value) {
    return varint(value << 1 ^ value >> Long.SIZE - 1);
  }

  FieldWriter ballot(Ballot ballot) {
    return oneByte(
        switch (ballot) {
          case ZERO -> BALLOT_ZERO;
          case ONE -> BALLOT_ONE;
          case UNDECIDED -> BALLOT_UNDECIDED;
        });
  }

  FieldWriter position(Position position) {
    return varint(position.epoch()).signed(position.index());
  }

  FieldWriter node(NodeId node) {
    to.writeByte(node.value().length());
    to.writeCharSequence(node.value(), StandardCharsets.US_ASCII);
    return this;
  }

  FieldWriter batchId(BatchId id) {
    if (id.isNone()) {
      return oneByte(NO_BATCH);
    }
    node(id.origin()).signed(id.incarnation()).varint(id.sequence());
    to.writeLong(id.digest().high()).writeLong(id.digest().low());
    return this;
  }

  FieldWriter batch(Batch batch) {
    if (batch.id().isNone()) {
      throw new IllegalArgumentException("A batch needs an id: " + batch);
    }
    batchId(batch.id());
    to.writeLong(batch.timestampNanos());
    if (batch.body() instanceof Body.Commands commands) {
      return oneByte(COMMANDS).commands(commands.commands());
    }
    Body.Reconfiguration change = (Body.Reconfiguration) batch.body();
    return change.number() == 0
        ? oneByte(RECONFIGURATION).signed(change.basedOn()).members(change.members())
        : oneByte(NUMBERED_RECONFIGURATION)
            .signed(change.basedOn())
            .varint(change.number())
            .members(change.members());
  }

  /** Writes the lengths first, so that the reader can copy all commands at once. */
  private FieldWriter commands(List<ByteBuffer> commands) {
    to.writeInt(commands.size());
    for (ByteBuffer command : commands) {
      to.writeInt(command.remaining());
    }
    for (ByteBuffer command : commands) {
      to.writeBytes(command.duplicate());
    }
    return this;
  }

  /** Writes an id, and its batch if present. */
  FieldWriter outcome(BatchId id, Optional<Batch> batch) {
    if (batch.isPresent()) {
      if (!batch.get().id().equals(id)) {
        throw new IllegalArgumentException(
            "The id of the batch is " + batch.get().id() + ", not " + id + ".");
      }
      return oneByte(WITH_BATCH).batch(batch.get());
    }
    return id.isNone() ? oneByte(NULL) : oneByte(ID_ONLY).batchId(id);
  }

  private FieldWriter members(List<Member> members) {
    varint(members.size());
    for (Member member : members) {
      if (!member.address().isUnresolved()) {
        // The digest of a reconfiguration covers the address as given.
        throw new IllegalArgumentException("A member's address must not be looked up: " + member);
      }
      byte[] host = member.address().getHostString().getBytes(StandardCharsets.UTF_8);
      node(member.node()).varint(host.length);
      to.ensureWritable(host.length + PORT_BYTES);
      to.writeBytes(host).writeShort(member.address().getPort());
    }
    return this;
  }

  private FieldWriter configuration(Configuration configuration) {
    return varint(configuration.epoch())
        .signed(configuration.start())
        .members(configuration.members());
  }

  /** Equal checkpoints have equal encodings. */
  FieldWriter checkpoint(Checkpoint checkpoint) {
    position(checkpoint.at()).varint(checkpoint.configurations().size());
    checkpoint.configurations().forEach(this::configuration);
    varint(checkpoint.executed().size());
    new TreeMap<>(checkpoint.executed())
        .forEach(
            (origin, incarnations) -> {
              node(origin).varint(incarnations.size());
              incarnations.forEach(this::executed);
            });
    return this;
  }

  private void executed(ExecutedIncarnation executed) {
    signed(executed.incarnation()).signed(executed.watermark()).varint(executed.beyond().size());
    executed.beyond().forEach(this::signed);
  }
}
