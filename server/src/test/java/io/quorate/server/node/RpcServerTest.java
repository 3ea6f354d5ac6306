package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.consensus.BodyReference;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.protocol.operation.ValueChange;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.ChangeNodesRequest;
import io.quorate.protocol.wire.v1.ConfirmPlanRequest;
import io.quorate.protocol.wire.v1.MoveReplicaRequest;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.Replica;
import io.quorate.protocol.wire.v1.ReplicaChange;
import io.quorate.protocol.wire.v1.StatusRequest;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.protocol.wire.v1.TransferLeaderRequest;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.RawClient.Response;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Valid and invalid requests over real sockets to a real node. */
class RpcServerTest extends RpcFixture {
  private static final int VALUE_BYTES_MAX = 64 << 10;

  @Test
  void writesAndReadsAreServed() throws IOException {
    client.write(1, RawClient.to(1), RawClient.put("a", "1"));
    Response written = assertOk(1);
    Position position = DataFrames.readPosition(written.body());
    assertThat(position.index()).isNotNegative();
    assertThat(Result.decode(written.body().nioBuffer())).isEqualTo(Result.DONE);

    client.get(2, RawClient.to(1), Key.utf8("a"));
    Response read = assertOk(2);
    assertThat(DataFrames.readPosition(read.body()).covers(position)).isTrue();
    assertThat(DataFrames.readValue(read.body()).orElseThrow()).isEqualTo("1".getBytes(UTF_8));

    client.get(3, RawClient.to(1), Key.utf8("b"));
    Response missing = assertOk(3);
    DataFrames.readPosition(missing.body());
    assertThat(DataFrames.readValue(missing.body())).isEmpty();
  }

  @Test
  void aScanEndsAtItsRangeAndItsLimits() throws IOException {
    for (String key : List.of("s1", "s2", "s3", "s4")) {
      client.write(1, RawClient.to(2), RawClient.put(key, "v"));
      assertOk(1);
    }
    KeyRange range = KeyRange.of(Key.utf8("s"), Key.utf8("t"));
    client.scan(2, RawClient.to(2), range, 2);
    assertThat(page(assertOk(2)).continueAt()).contains(Key.utf8("s2").next());

    client.scan(3, RawClient.to(2), range, 1000);
    assertThat(page(assertOk(3)).rows()).as("limits.scan-rows").hasSize(3);

    client.scan(4, RawClient.to(2), KeyRange.of(Key.utf8("s4"), Key.utf8("t")), 1000);
    ScanPage last = page(assertOk(4));
    assertThat(last.rows()).hasSize(1);
    assertThat(last.continueAt()).isEmpty();

    client.scanReverse(5, RawClient.to(2), range, 2);
    ScanPage highest = page(assertOk(5));
    assertThat(highest.rows())
        .extracting(ScanPage.Row::key)
        .containsExactly(Key.utf8("s4"), Key.utf8("s3"));
    assertThat(highest.continueAt()).contains(Key.utf8("s3"));
  }

  @Test
  void aReverseScanIsForTheRegionOfItsHighestKey() throws IOException {
    KeyRange startsInRegion1 = KeyRange.from(Key.utf8("a"));
    client.scanReverse(1, RawClient.to(2), startsInRegion1, 1);
    assertOk(1);
    client.scan(2, RawClient.to(2), startsInRegion1, 1);
    assertThat(client.receive().status()).isEqualTo(Status.STALE_EPOCH);
  }

  /** Also if the guarantee allows any position. */
  @Test
  void aScanReportsThePositionOfItsState() throws IOException {
    client.write(1, RawClient.to(2), RawClient.put("u", "v"));
    Position written = DataFrames.readPosition(assertOk(1).body());
    Guarantee any = new Guarantee.AtLeast(Position.NONE);
    client.scan(2, RawClient.to(2), any, KeyRange.from(Key.utf8("u")), 1);
    Response scanned = assertOk(2);
    assertThat(DataFrames.readPosition(scanned.body()).covers(written)).isTrue();
    assertThat(DataFrames.readPage(scanned.body()).rows()).hasSize(1);
  }

  private static ScanPage page(Response response) {
    DataFrames.readPosition(response.body());
    return DataFrames.readPage(response.body());
  }

  @Test
  void topologyAndStatusDescribeTheNode() throws IOException {
    client.send(1, Opcode.TOPOLOGY.code(), new byte[0]);
    Topology topology = Topology.parseFrom(assertOk(1).body().nioBuffer());
    assertThat(topology.getRegionsList()).hasSize(2);
    assertThat(topology.getRegions(0).getLeader()).isEqualTo("n1");
    assertThat(topology.getLeadersOnly()).isTrue();

    client.send(2, Opcode.STATUS.code(), new byte[0]);
    NodeStatus status = NodeStatus.parseFrom(assertOk(2).body().nioBuffer());
    assertThat(status.getNode().getId()).isEqualTo("n1");
    assertThat(status.getAcceptsWrites()).isTrue();
    assertThat(status.getReplicasList())
        .as("with the metadata")
        .hasSize(3)
        .noneMatch(Replica::hasBodies);
    assertThat(status.getTopology().getNodesList()).hasSize(1);
  }

  @Test
  void emptyAndOversizedKeysAndValuesAreRejected() throws IOException {
    client.get(1, RawClient.to(1), Key.EMPTY);
    assertFailure(1, Status.INVALID, "A key has at least 1 byte");
    client.write(2, RawClient.to(1), RawClient.put("", "v"));
    assertFailure(2, Status.INVALID, "A key has at least 1 byte");
    byte[] tooLong = new byte[Limits.KEY_BYTES_MAX + 1];
    client.get(3, RawClient.to(1), Key.wrap(tooLong));
    assertFailure(3, Status.INVALID, "8192");
    client.write(4, RawClient.to(1), RawClient.put("k", "v".repeat(VALUE_BYTES_MAX + 1)));
    assertFailure(4, Status.INVALID, "A value has at most " + VALUE_BYTES_MAX + " bytes");
    assertStillServed();
  }

  @Test
  void malformedBodiesAreRejected() throws IOException {
    client.send(1, Opcode.WRITE.code(), new byte[3]);
    assertFailure(1, Status.INVALID, "ends before");
    client.send(2, Opcode.GET.code(), new byte[0]);
    assertFailure(2, Status.INVALID, "ends before");
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, RawClient.to(1));
    client.send(3, Opcode.WRITE.code(), bytes(body.writeZero(44).writeByte(77)));
    assertFailure(3, Status.INVALID, "There is no operation 77");
    client.send(4, Opcode.TRANSFER_LEADER.code(), new byte[] {(byte) 0xff});
    assertFailure(4, Status.INVALID, "cannot be read");
    assertStillServed();
  }

  @Test
  void aScanThatStartsAfterItsEndIsRejected() throws IOException {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, RawClient.to(1));
    body.writeByte(0).writeInt(10).writeInt(10);
    body.writeInt(1).writeByte('b').writeBoolean(true).writeInt(1).writeByte('a');
    client.send(1, Opcode.SCAN.code(), bytes(body));

    assertFailure(1, Status.INVALID, "start \"b\" is after end \"a\"");
    assertStillServed();
  }

  @Test
  void requestsByAStaleOrWrongTopologyAreRejected() throws IOException {
    client.get(1, new Routing(1, 0, 1000), Key.utf8("a"));
    Response stale = client.receive();
    assertThat(stale.status()).isEqualTo(Status.STALE_EPOCH);
    assertThat(stale.failure().getTopology().getRegionsCount()).isEqualTo(2);

    client.get(2, RawClient.to(9), Key.utf8("a"));
    assertFailure(2, Status.STALE_EPOCH, "There is no region 9");
    client.get(3, RawClient.to(1), Key.utf8("z"));
    assertFailure(3, Status.STALE_EPOCH, "Region 1 holds the keys");
    client.write(4, RawClient.to(2), RawClient.put("a", "v"));
    assertFailure(4, Status.STALE_EPOCH, "Region 2 holds the keys");
    client.scan(5, RawClient.to(1), KeyRange.from(Key.utf8("z")), 1);
    assertFailure(5, Status.STALE_EPOCH, "Region 1 holds the keys");
    client.get(6, RawClient.to(0), Key.utf8("a"));
    assertFailure(6, Status.INVALID, "metadata");
    client.get(7, RawClient.to(-1), Key.utf8("a"));
    assertFailure(7, Status.INVALID, "1 or greater");
    // The client has learnt of the move of a replica before this node.
    client.get(8, new Routing(1, 7, 1000), Key.utf8("a"));
    assertThat(client.receive().status()).isEqualTo(Status.OK);
    assertStillServed();
  }

  @Test
  void aBatchAcrossRegionsIsRejected() throws IOException {
    Operation.OnKey low = (Operation.OnKey) RawClient.put("a", "v");
    Operation.OnKey high = (Operation.OnKey) RawClient.put("z", "v");
    client.write(1, RawClient.to(1), new Operation.Batch(List.of(low, high)));

    assertFailure(1, Status.INVALID, "A batch stays within one region");
    assertStillServed();
  }

  /** It has no key by which it could be found in a region. */
  @Test
  void anEmptyBatchIsInvalid() throws IOException {
    client.write(1, RawClient.to(1), new Operation.Batch(List.of()));

    assertFailure(1, Status.INVALID, "A batch has at least 1 operation");
    assertStillServed();
  }

  @Test
  void aClientMayNotReferToBodies() throws IOException {
    Key key = Key.utf8("k");
    BodyReference body = new BodyReference(1, 0, 0, 5, ByteBuffer.allocate(0));
    client.write(1, RawClient.to(1), new Operation.PutBody(key, body));
    assertFailure(1, Status.INVALID, "refers to bodies");
    ByteBuffer done = Result.DONE.encoded();
    client.write(2, RawClient.to(1), new Operation.Resolved(key, 1, 0, ValueChange.DELETE, done));
    assertFailure(2, Status.INVALID, "refers to bodies");
  }

  @Test
  void fieldsOfRequestsAboutRegionsAndNodesThatAreOutOfRangeAreInvalid() throws IOException {
    byte[] epoch = ConfirmPlanRequest.newBuilder().setRegion(1).setEpoch(0).build().toByteArray();
    client.send(1, Opcode.CONFIRM_PLAN.code(), epoch);
    assertFailure(1, Status.INVALID, "epoch is 1 or greater");
    byte[] plan = ConfirmPlanRequest.newBuilder().setRegion(-1).setEpoch(1).build().toByteArray();
    client.send(2, Opcode.CONFIRM_PLAN.code(), plan);
    assertFailure(2, Status.INVALID, "number is 0 or greater, not -1");
    byte[] status = StatusRequest.newBuilder().setRegion(-5).build().toByteArray();
    client.send(3, Opcode.STATUS.code(), status);
    assertFailure(3, Status.INVALID, "number is 0 or greater, not -5");
    ReplicaChange change = ReplicaChange.newBuilder().setFrom("n1").setTo("n2").build();
    byte[] move =
        MoveReplicaRequest.newBuilder().setRegion(-1).setChange(change).build().toByteArray();
    client.send(4, Opcode.MOVE_REPLICA.code(), move);
    assertFailure(4, Status.INVALID, "number is 0 or greater, not -1");
    Node node =
        Node.newBuilder()
            .setId("n9")
            .setHost("localhost")
            .setClientPort(7000)
            .setConsensusPort(70_000)
            .setAdminPort(7001)
            .build();
    byte[] add = ChangeNodesRequest.newBuilder().setAdd(node).build().toByteArray();
    client.send(5, Opcode.CHANGE_NODES.code(), add);
    assertFailure(5, Status.INVALID, "A port is from 1 to 65535, not 70000");
    byte[] noHost =
        ChangeNodesRequest.newBuilder().setAdd(node.toBuilder().setHost("")).build().toByteArray();
    client.send(6, Opcode.CHANGE_NODES.code(), noHost);
    assertFailure(6, Status.INVALID, "the host is missing");
    assertStillServed();
  }

  @Test
  void aClientMayNotExpireSessions() throws IOException {
    client.write(1, RawClient.to(1), new Operation.ExpireSessions(new Position(1, 5)));

    assertFailure(1, Status.INVALID, "Only the server itself");
    assertStillServed();
  }

  @Test
  void aClientMayNotSplitARegion() throws IOException {
    client.write(1, RawClient.to(1), new Operation.Split(Key.utf8("k"), new GroupId(7)));

    assertFailure(1, Status.INVALID, "Only the server itself splits regions");
    assertStillServed();
  }

  @Test
  void aGuaranteeThatTheEngineDoesNotOfferIsServedByAStrongerOne() throws IOException {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, RawClient.to(1));
    DataFrames.writeGet(
        body, new DataFrames.Get(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED, Key.utf8("absent")));
    client.send(1, Opcode.GET.code(), bytes(body));

    assertOk(1);
  }

  @Test
  void aReadOfAPositionThatIsNotReachedTimesOut() throws IOException {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, new Routing(1, 1, 100));
    DataFrames.writeGet(
        body, new DataFrames.Get(new Guarantee.AtLeast(new Position(1, 1 << 30)), Key.utf8("a")));
    client.send(1, Opcode.GET.code(), bytes(body));

    assertFailure(1, Status.UNAVAILABLE, "The replica has not reached position 1:1073741824;");
    assertStillServed();
  }

  @Test
  void aLeadershipTransferIsRejectedIfTheGroupHasNone() throws IOException {
    client.send(1, Opcode.TRANSFER_LEADER.code(), transfer(1));
    assertFailure(1, Status.INVALID, "no leader");
    client.send(2, Opcode.TRANSFER_LEADER.code(), transfer(9));
    assertFailure(2, Status.STALE_EPOCH, "no region 9");
  }

  @Test
  void aQuorumReadIsRejectedIfTheGroupHasNone() throws IOException {
    client.quorumRead(1, RawClient.to(1), Key.utf8("a"), Position.NONE);

    assertFailure(1, Status.INVALID, "no quorum reads");
    assertStillServed();
  }

  private static byte[] transfer(int region) {
    return TransferLeaderRequest.newBuilder()
        .setRegion(region)
        .setTarget("n2")
        .build()
        .toByteArray();
  }

  @Test
  void anUnknownRequestIsRejectedAndTheNextOneServed() throws IOException {
    client.send(1, 200, new byte[1000]);

    assertFailure(1, Status.INVALID, "There is no request of kind 200");
    assertStillServed();
  }

  @Test
  void eachOfManyRequestsInFlightReceivesAResponse() throws IOException {
    int count = 500;
    for (int i = 0; i < count; i++) {
      client.write(i, RawClient.to(1), new Operation.Increment(Key.utf8("counter"), 1));
    }
    for (int i = 0; i < count; i++) {
      assertThat(client.receive().status()).isEqualTo(Status.OK);
    }
    client.get(count, RawClient.to(1), Key.utf8("counter"));
    Response sum = assertOk(count);
    DataFrames.readPosition(sum.body());
    assertThat(DataFrames.readValue(sum.body()).map(String::new))
        .isEqualTo(Optional.of(Integer.toString(count)));
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    return bytes;
  }
}
