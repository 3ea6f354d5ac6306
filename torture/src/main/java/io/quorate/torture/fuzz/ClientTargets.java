package io.quorate.torture.fuzz;

import static io.quorate.torture.fuzz.FuzzTargets.buffer;
import static io.quorate.torture.fuzz.FuzzTargets.into;
import static io.quorate.torture.fuzz.FuzzTargets.netty;
import static io.quorate.torture.fuzz.FuzzTargets.reads;
import static io.quorate.torture.fuzz.FuzzTargets.target;
import static io.quorate.torture.fuzz.FuzzTargets.written;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.common.DecodeException;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.access.ScramClient;
import io.quorate.protocol.access.ScramSecret;
import io.quorate.protocol.access.ScramServer;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.OperationCodec;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.server.access.AccessRules;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyMessages;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Between clients and nodes: bodies of frames, logins, and what a cluster says of itself. */
final class ClientTargets {
  private ClientTargets() {}

  static List<Target> all() {
    Class<DecodeException> ours = DecodeException.class;
    return List.of(
        target(
            "operation",
            buffer(OperationCodec::decode),
            into(
                Operation.class,
                value ->
                    OperationCodec.encode(value, ByteBuffer.allocate(OperationCodec.size(value)))
                        .flip()),
            ours),
        target(
            "command",
            buffer(ClientCommand::decode),
            into(ClientCommand.class, ClientCommand::encoded),
            ours),
        target("result", buffer(Result::decode), into(Result.class, Result::encoded), ours),
        target(
            "routing",
            netty(DataFrames::readRouting),
            written(Routing.class, DataFrames::writeRouting),
            ours),
        target(
            "get",
            netty(DataFrames::readGet),
            written(DataFrames.Get.class, DataFrames::writeGet),
            ours),
        target(
            "scan",
            netty(DataFrames::readScan),
            written(DataFrames.Scan.class, DataFrames::writeScan),
            ours),
        target(
            "reply-request",
            netty(DataFrames::readReplyRequest),
            written(DataFrames.ReplyRequest.class, DataFrames::writeReplyRequest),
            ours),
        reads("reply", netty(from -> DataFrames.readReply(from, new NodeId("n1"))), ours),
        reads("value", netty(DataFrames::readValue), ours),
        target(
            "position",
            netty(DataFrames::readPosition),
            written(Position.class, DataFrames::writePosition),
            ours),
        target(
            "page",
            netty(DataFrames::readPage),
            written(ScanPage.class, DataFrames::writePage),
            ours),
        reads(
            "client-topology",
            input -> TopologySnapshot.of(Topology.parseFrom(input)),
            ours,
            InvalidProtocolBufferException.class),
        reads("node-status", statusReader(), ours, InvalidProtocolBufferException.class),
        target(
            "stored-topology",
            input -> TopologyMessages.stored(Topology.parseFrom(input)),
            value -> TopologyMessages.of((StoredTopology) value).toByteArray(),
            ours,
            IllegalArgumentException.class,
            InvalidProtocolBufferException.class),
        target("access-rules", accessRules(), accessRulesEncoder(), ours),
        reads("login-first", ClientTargets::loginFirst, ours),
        reads("login-last", ClientTargets::loginLast, ours),
        reads("login-response", ClientTargets::loginResponse, ours));
  }

  private static Target.Decoder statusReader() {
    Hidden reader = Hidden.of("client.internal.admin.StatusReader", "node", NodeStatus.class);
    return input -> reader.call(null, NodeStatus.parseFrom(input));
  }

  private static Target.Decoder accessRules() {
    Hidden parse = Hidden.of("server.access.AccessRules", "parse", byte[].class);
    return input -> parse.call(null, (Object) input);
  }

  private static Target.Encoder accessRulesEncoder() {
    Hidden toMessage = Hidden.of("server.access.AccessRules", "toMessage");
    return value ->
        ((io.quorate.protocol.wire.v1.AccessRules) toMessage.call((AccessRules) value))
            .toByteArray();
  }

  private static ScramServer server(String first) {
    ScramSecret nobody = ScramSecret.ofNobody("user", ByteString.copyFromUtf8("decoy"));
    return ScramServer.begin(first, user -> nobody, "nonce");
  }

  private static Object loginFirst(byte[] input) {
    return server(text(input)).first();
  }

  private static Object loginLast(byte[] input) {
    return server("n,,n=user,r=abc").finish(text(input));
  }

  /** The salt and the iterations come from the other side; hashing takes long, and is left out. */
  private static Object loginResponse(byte[] input) {
    String message = text(input);
    if (message.contains(",i=")) {
      return message;
    }
    return ScramClient.begin("user", new ScramClient.SecretKeys("secret")).last(message);
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }
}
