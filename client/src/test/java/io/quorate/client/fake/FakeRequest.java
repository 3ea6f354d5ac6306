package io.quorate.client.fake;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.BodyFigures;
import io.quorate.protocol.wire.v1.ChangeNodesResponse;
import io.quorate.protocol.wire.v1.ConfirmPlanResponse;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.protocol.wire.v1.MergeRegionRequest;
import io.quorate.protocol.wire.v1.MergeRegionResponse;
import io.quorate.protocol.wire.v1.MoveReplicaResponse;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.ReadFigures;
import io.quorate.protocol.wire.v1.Replica;
import io.quorate.protocol.wire.v1.SplitRegionResponse;
import io.quorate.protocol.wire.v1.TransferLeaderRequest;
import io.quorate.protocol.wire.v1.VerifyRegionResponse;
import io.quorate.protocol.wire.v1.Welcome;
import io.quorate.quorum.ReadReply;
import java.util.Optional;

/** One request that a node received, and the possible reactions to it. */
public final class FakeRequest {
  private final FakeNode node;
  private final Channel channel;
  private final long correlation;
  private final Opcode opcode;
  private final byte[] body;

  FakeRequest(FakeNode node, Channel channel, long correlation, Opcode opcode, byte[] body) {
    this.node = node;
    this.channel = channel;
    this.correlation = correlation;
    this.opcode = opcode;
    this.body = body;
  }

  public Opcode opcode() {
    return opcode;
  }

  /** The command in a WRITE. */
  public ClientCommand command() {
    ByteBuf rest = Unpooled.wrappedBuffer(body).skipBytes(DataFrames.routingBytes());
    return ClientCommand.decode(rest.nioBuffer());
  }

  boolean endsSession() {
    return opcode == Opcode.WRITE && command().operation() instanceof Operation.EndSession;
  }

  /** The key in a MERGE_REGION. */
  public Key mergeAt() {
    try {
      return Key.wrap(MergeRegionRequest.parseFrom(body).getAt().toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Responds as a correct node does. */
  public void serve() {
    Optional<Failure> refusal = Optional.empty();
    Status status = Status.OK;
    if (opcode == Opcode.WRITE
        || opcode == Opcode.GET
        || opcode == Opcode.SCAN
        || opcode == Opcode.SCAN_REVERSE
        || opcode == Opcode.READ_REPLY) {
      Routing routing = DataFrames.readRouting(Unpooled.wrappedBuffer(body));
      String leader = node.cluster().leader(routing.region());
      if (node.cluster().epoch(routing.region()) != routing.epoch()) {
        status = Status.STALE_EPOCH;
        refusal = Optional.of(Failure.newBuilder().setTopology(node.cluster().topology()).build());
      } else if (!node.cluster().isLeaderless() && !node.id().equals(leader)) {
        status = Status.NOT_LEADER;
        refusal = Optional.of(Failure.newBuilder().setLeader(leader).build());
      }
    }
    if (refusal.isPresent()) {
      refuse(status, refusal.get());
    } else {
      respond(Status.OK, execute());
    }
  }

  /** Executes the request and returns the body of the response, without sending it. */
  public ByteBuf execute() {
    return switch (opcode) {
      case HELLO -> Unpooled.wrappedBuffer(welcome().toByteArray());
      case TOPOLOGY -> Unpooled.wrappedBuffer(node.cluster().topology().toByteArray());
      case STATUS -> Unpooled.wrappedBuffer(status().toByteArray());
      case WRITE, GET, SCAN, SCAN_REVERSE, READ_REPLY -> executeOnRegion();
      case TRANSFER_LEADER -> transferLeader();
      case MOVE_REPLICA ->
          Unpooled.wrappedBuffer(MoveReplicaResponse.getDefaultInstance().toByteArray());
      case CHANGE_NODES ->
          Unpooled.wrappedBuffer(ChangeNodesResponse.getDefaultInstance().toByteArray());
      case SPLIT_REGION ->
          Unpooled.wrappedBuffer(SplitRegionResponse.getDefaultInstance().toByteArray());
      case MERGE_REGION ->
          Unpooled.wrappedBuffer(MergeRegionResponse.getDefaultInstance().toByteArray());
      case VERIFY_REGION ->
          Unpooled.wrappedBuffer(VerifyRegionResponse.getDefaultInstance().toByteArray());
      case CONFIRM_PLAN ->
          Unpooled.wrappedBuffer(ConfirmPlanResponse.getDefaultInstance().toByteArray());
      // Of messages without a field.
      case ACCESS, CHANGE_ACCESS, AUTHENTICATE -> Unpooled.EMPTY_BUFFER;
    };
  }

  public void refuse(Status status, Failure failure) {
    respond(status, Unpooled.wrappedBuffer(failure.toByteArray()));
  }

  public void respond(Status status, ByteBuf responseBody) {
    byte[] bytes = new byte[responseBody.readableBytes()];
    responseBody.readBytes(bytes);
    channel.writeAndFlush(Frames.of(channel.alloc(), correlation, status.code(), bytes));
  }

  /** Serves the request, with one bit of the response altered, in the byte at this index. */
  public void serveAltered(int at) {
    ByteBuf result = executeOnRegion();
    ByteBuf frame =
        Frames.of(channel.alloc(), correlation, Status.OK.code(), ByteBufUtil.getBytes(result));
    frame.setByte(at, frame.getByte(at) ^ 1 << at % Byte.SIZE);
    channel.writeAndFlush(frame);
  }

  public void sendRaw(byte[] bytes) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
  }

  public void drop() {
    channel.close();
  }

  private ByteBuf executeOnRegion() {
    ByteBuf from = Unpooled.wrappedBuffer(body);
    FakeRegion region = node.cluster().region(DataFrames.readRouting(from).region());
    ByteBuf to = Unpooled.buffer();
    if (opcode == Opcode.WRITE) {
      ProposeResult applied = region.apply(ClientCommand.decode(from.nioBuffer()));
      DataFrames.writePosition(to, applied.position());
      to.writeBytes(applied.result().duplicate());
    } else if (opcode == Opcode.GET) {
      DataFrames.writePosition(to, region.position());
      DataFrames.writeValue(to, region.get(DataFrames.readGet(from).key()));
    } else if (opcode == Opcode.READ_REPLY) {
      ReadReply<Optional<byte[]>> reply =
          readReply(DataFrames.readReplyRequest(from).key(), region);
      DataFrames.writeReply(to, reply, 0);
    } else {
      ScanOrder order = opcode == Opcode.SCAN ? ScanOrder.FORWARD : ScanOrder.REVERSE;
      DataFrames.Scan scan = DataFrames.readScan(from);
      DataFrames.writePosition(to, region.position());
      DataFrames.writePage(to, region.scan(scan.range(), order, scan.rowsMax(), scan.bytesMax()));
    }
    return to;
  }

  private ByteBuf transferLeader() {
    try {
      TransferLeaderRequest request = TransferLeaderRequest.parseFrom(body);
      node.cluster().setLeader(request.getRegion(), request.getTarget());
      return Unpooled.EMPTY_BUFFER;
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The reply of a replica in the first configuration that has applied as much as all others. */
  private ReadReply<Optional<byte[]>> readReply(Key key, FakeRegion region) {
    int quorum = node.cluster().nodes().size() / 2 + 1;
    return new ReadReply<>(
        new NodeId(node.id()), 1, quorum, region.position(), Position.NONE, region.get(key));
  }

  /** The request for a read reply in a READ_REPLY. */
  public DataFrames.ReplyRequest readReplyRequest() {
    ByteBuf rest = Unpooled.wrappedBuffer(body).skipBytes(DataFrames.routingBytes());
    return DataFrames.readReplyRequest(rest);
  }

  private Welcome welcome() {
    return Welcome.newBuilder()
        .setClusterId(node.clusterId())
        .setNodeId(node.id())
        .setServerVersion("fake")
        .setFrameBytesMax(node.frameBytesMax())
        .setKeyBytesMax(8 << 10)
        .setValueBytesMax(4 << 20)
        .setInFlightRequestsMax(node.inFlightRequestsMax())
        .setInFlightBytesMax(64L << 20)
        .setTopology(node.cluster().topology())
        .build();
  }

  private NodeStatus status() {
    NodeStatus.Builder status =
        NodeStatus.newBuilder()
            .setNode(FakeCluster.describe(node))
            .setClusterId(node.clusterId())
            .setServerVersion("fake")
            .setPreset("raft")
            .putSettings("engine", "raft")
            .putSettings("reads", "leader")
            .setUptimeMs(61_000)
            .setAcceptsWrites(true)
            .setTopology(node.cluster().topology());
    for (FakeRegion region : node.cluster().regions()) {
      Replica.Builder replica =
          status
              .addReplicasBuilder()
              .setRegion(region.id())
              .setEpoch(node.cluster().epoch(region.id()))
              .setStart(ByteString.copyFrom(region.range().start().bytes()))
              .setLeader(node.cluster().leader(region.id()))
              .setServing(true)
              .setConsensusEpoch(1)
              .setCommitted(region.position().index())
              .setApplied(region.position().index())
              .setDurable(region.position().index());
      if (node.id().equals("n1")) {
        // The other nodes have a release that does not report these figures.
        replica.setReads(
            ReadFigures.newBuilder()
                .setReadIndex(region.position().index() + 5)
                .setRowNanos(1_520)
                .setMerged(1)
                .setImmediate(2)
                .setRelaxed(1));
      }
      if (node.id().equals("n1") && node.cluster().reportsBodies()) {
        replica.setBodies(
            BodyFigures.newBuilder()
                .setFragments(20)
                .setComplete(3)
                .setMissing(2)
                .setDamaged(1)
                .setBytes(123_456));
      }
      region.range().end().ifPresent(end -> replica.setEnd(ByteString.copyFrom(end.bytes())));
      node.cluster().nodes().forEach(other -> replica.addReplicas(other.id()));
    }
    return status.build();
  }
}
