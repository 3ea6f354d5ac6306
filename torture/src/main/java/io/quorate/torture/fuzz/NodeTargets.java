package io.quorate.torture.fuzz;

import static io.quorate.torture.fuzz.FuzzTargets.buffer;
import static io.quorate.torture.fuzz.FuzzTargets.hidden;
import static io.quorate.torture.fuzz.FuzzTargets.into;
import static io.quorate.torture.fuzz.FuzzTargets.netty;
import static io.quorate.torture.fuzz.FuzzTargets.reads;
import static io.quorate.torture.fuzz.FuzzTargets.target;
import static io.quorate.torture.fuzz.FuzzTargets.written;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.common.Bytes;
import io.quorate.common.Checksums;
import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import io.quorate.model.NodeId;
import io.quorate.rabia.codec.MessageCodec;
import io.quorate.rabia.protocol.Message;
import io.quorate.replication.coded.round.BodyMessages;
import io.quorate.replication.coded.round.HeldBody;
import io.quorate.replication.quorum.QuorumReadCodec;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.PeerFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** Between nodes: greetings, messages of the engines, bodies, reads and snapshots. */
final class NodeTargets {
  private static final int GREETING_HEAD_BYTES = Integer.BYTES + 1;

  private NodeTargets() {}

  @SuppressWarnings("unchecked")
  static List<Target> all() {
    Class<DecodeException> ours = DecodeException.class;
    return List.of(
        target(
            "hello",
            input -> Handshake.readHello(Unpooled.wrappedBuffer(input), "raft"),
            value -> greeting((Handshake) value),
            ours,
            Handshake.RefusalException.class),
        target(
            "welcome", netty(Handshake::readWelcome), value -> greeting((Handshake) value), ours),
        reads("refused", netty(Handshake::readRefused), ours),
        reads("news", netty(Handshake::readNews), ours),
        reads("frame-type", netty(PeerFrames::readType), ours),
        reads("group", groupReader(), ours),
        target(
            "rabia-message",
            netty(MessageCodec::read),
            written(Message.class, (to, message) -> MessageCodec.write(message, to)),
            ours),
        raft("raft-append", "AppendEntriesRequestProto"),
        raft("raft-vote", "RequestVoteRequestProto"),
        raft("raft-snapshot", "InstallSnapshotRequestProto"),
        target(
            "raft-heartbeat",
            hidden("ratis.heartbeat.GroupTerm", "decode"),
            encoder("ratis.heartbeat.GroupTerm", "encode", List.class),
            ours),
        target(
            "raft-hibernate",
            hidden("ratis.hibernation.HibernateRequest", "decode"),
            encoderOf("ratis.hibernation.HibernateRequest", "encoded"),
            ours),
        reads("raft-read", hidden("ratis.quorum.ReadResponse", "decode"), IOException.class),
        target(
            "quorum-request",
            input -> QuorumReadCodec.readRequest(ByteBuffer.wrap(input)),
            value -> Bytes.of(QuorumReadCodec.request((List) value)),
            IOException.class),
        target(
            "quorum-response",
            input -> QuorumReadCodec.readResponse(new NodeId("n1"), 2, ByteBuffer.wrap(input)),
            value -> Bytes.of(QuorumReadCodec.response((List) value)),
            IOException.class),
        reads("body-chunk", buffer(BodyMessages.StoreChunk::decode), ours),
        target(
            "body-fetch",
            buffer(BodyMessages.Fetch::decode),
            into(BodyMessages.Fetch.class, BodyMessages.Fetch::encode),
            ours),
        reads("body-fetched", buffer(BodyMessages::readFetched), ours),
        reads("body-stored", buffer(BodyMessages::readStored), ours),
        reads("body-held", buffer(HeldBody::of), ours),
        layout(),
        target(
            "snapshot-message",
            hidden("replication.snapshot.SnapshotMessage", "decode"),
            encoderOf("replication.snapshot.SnapshotMessage", "encoded"),
            IOException.class));
  }

  private static byte[] greeting(Handshake handshake) {
    ByteBuf frame = handshake.greeting(UnpooledByteBufAllocator.DEFAULT);
    int checked = frame.readableBytes() - GREETING_HEAD_BYTES - Integer.BYTES;
    try {
      return ByteBufUtil.getBytes(frame, GREETING_HEAD_BYTES, checked);
    } finally {
      frame.release();
    }
  }

  private static Target.Decoder groupReader() {
    Hidden reader = Hidden.of("replication.transport.Groups", "readGroup", ByteBuf.class);
    return input -> reader.call(null, Unpooled.wrappedBuffer(input));
  }

  private static Target raft(String name, String message) {
    Hidden parsers =
        Hidden.of(Hidden.type("org.apache.ratis.proto.RaftProtos$" + message), "parser");
    Class<?> parser = Hidden.type("org.apache.ratis.thirdparty.com.google.protobuf.Parser");
    Hidden decoder =
        Hidden.of(Hidden.type("io.quorate.ratis.rpc.Encoding"), "decode", parser, ByteBuffer.class);
    return reads(
        name,
        input -> decoder.call(null, parsers.call(null), ByteBuffer.wrap(input)),
        DecodeException.class);
  }

  /** The layout of a body of 1,000 bytes. Its checksum is added. */
  private static Target layout() {
    Hidden decoder = Hidden.of("replication.coded.BodyLayout", "of", BodyReference.class);
    Target.Encoder encoder = encoderOf("replication.coded.BodyLayout", "encode");
    return target(
        "body-layout",
        input -> {
          ByteBuffer checked = ByteBuffer.allocate(input.length + Integer.BYTES).put(input);
          checked.putInt(Checksums.of(ByteBuffer.wrap(input)));
          return decoder.call(null, new BodyReference(1, 1, 0, 1000, checked.flip()));
        },
        value -> {
          byte[] encoded = encoder.encode(value);
          return Arrays.copyOf(encoded, encoded.length - Integer.BYTES);
        },
        DecodeException.class);
  }

  private static Target.Encoder encoder(String type, String method, Class<?> parameter) {
    Hidden encoder = Hidden.of(type, method, parameter);
    return value -> Bytes.of((ByteBuffer) encoder.call(null, value));
  }

  private static Target.Encoder encoderOf(String type, String method) {
    Hidden encoder = Hidden.of(type, method);
    return value -> Bytes.of((ByteBuffer) encoder.call(value));
  }
}
