package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.QuorateClient;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Reads;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.quorum.ReadReply;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.RawClient.Response;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose engine has no leader, and quorum reads. */
class LeaderlessNodeTest {
  private static final NodeId NODE = new NodeId("n1");

  @TempDir private Path directory;

  private TestCluster cluster() throws IOException {
    return new TestCluster(
        directory,
        1,
        """
        engine = memory
        memory.leaderless = on
        reads = quorum
        cluster.split-keys = [ "m" ]
        shutdown.drain-timeout = 20s
        """);
  }

  private static QuorateNode serve(ServerConfig config, MemoryEngineProvider engine) {
    QuorateNode node =
        QuorateNode.start(
            config,
            engine,
            failure -> {
              throw failure;
            });
    node.serving().toCompletableFuture().join();
    return node;
  }

  private static ReadReply<Optional<byte[]>> readReply(Response response) {
    assertThat(response.status()).isEqualTo(Status.OK);
    return DataFrames.readReply(response.body(), NODE);
  }

  @Test
  void aReadReplyHasTheAppliedState() throws IOException {
    TestCluster cluster = cluster();
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.connect(node.clientPort())) {
      client.write(1, RawClient.to(1), RawClient.put("a", "1"));
      Response written = client.receive();
      Position position = DataFrames.readPosition(written.body());

      client.quorumRead(2, RawClient.to(1), Key.utf8("a"), Position.NONE);
      ReadReply<Optional<byte[]>> reply = readReply(client.receive());
      assertThat(reply.value().orElseThrow()).isEqualTo("1".getBytes(UTF_8));
      assertThat(reply.applied()).isEqualTo(position);
      assertThat(reply.pending()).isEqualTo(Position.NONE);
      assertThat(reply.epoch()).isEqualTo(1);
      assertThat(reply.quorum()).isEqualTo(1);

      client.quorumRead(3, RawClient.to(1), Key.utf8("absent"), position);
      assertThat(readReply(client.receive()).value()).isEmpty();
      client.quorumRead(4, RawClient.to(1), Key.utf8("a"), new Position(1, position.index() + 9));
      assertThat(client.receive().status()).isEqualTo(Status.UNAVAILABLE);
    }
  }

  @Test
  void quorumReadsAreCheckedLikeOtherReads() throws IOException {
    TestCluster cluster = cluster();
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.connect(node.clientPort())) {
      client.quorumRead(1, new Routing(1, 0, 1000), Key.utf8("a"), Position.NONE);
      assertThat(client.receive().status()).isEqualTo(Status.STALE_EPOCH);
      client.quorumRead(2, RawClient.to(1), Key.utf8("z"), Position.NONE);
      assertThat(client.receive().status()).isEqualTo(Status.STALE_EPOCH);
      client.quorumRead(3, RawClient.to(1), Key.EMPTY, Position.NONE);
      assertThat(client.receive().status()).isEqualTo(Status.INVALID);
      client.send(4, Opcode.READ_REPLY.code(), Unpooled.buffer().writeZero(20).array());
      assertThat(client.receive().status()).isEqualTo(Status.INVALID);

      client.quorumRead(5, RawClient.to(2), Key.utf8("z"), Position.NONE);
      assertThat(readReply(client.receive()).value()).isEmpty();
    }
  }

  @Test
  void theTopologyHasTheModeOfReadsAndBothSidesOfQuorumReadsWork() throws IOException {
    TestCluster cluster = cluster();
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient raw = RawClient.connect(node.clientPort())) {
      raw.send(1, Opcode.TOPOLOGY.code(), new byte[0]);
      Topology topology = Topology.parseFrom(raw.receive().body().nioBuffer());
      assertThat(topology.getLeadersOnly()).isFalse();
      assertThat(topology.getReads().getByReplicas()).isTrue();
      assertThat(topology.getReads().getQuorumRule()).isEqualTo(Reads.QuorumRule.BARRIER);
      assertThat(topology.getRegions(0).getLeader()).isEmpty();

      for (QuorumReads quorumReads : QuorumReads.values()) {
        ClientOptions options =
            ClientOptions.builder(cluster.seeds()).quorumReads(quorumReads).build();
        try (QuorateClient client = QuorateClient.connect(options)) {
          client.put("a", quorumReads.name());
          assertThat(client.get("a")).contains(quorumReads.name());
        }
      }
    }
  }

  @Test
  void aStoppingNodeRedirectsItsClientsAtOnce() throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    TestCluster cluster = cluster();
    QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider(released));
    try (RawClient client = RawClient.connect(node.clientPort())) {
      client.write(1, RawClient.to(1), RawClient.put("a", "1"));
      client.get(2, RawClient.to(1), Key.utf8("a"));
      assertThat(client.receive().correlation()).as("the write is in flight by then").isEqualTo(2);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(node::close);
      await()
          .until(
              () -> {
                client.get(2, RawClient.to(1), Key.utf8("a"));
                Response response = client.receive();
                return response.status() == Status.UNAVAILABLE && response.failure().getElsewhere();
              });
      released.complete(null);
      assertThat(client.receive().status()).as("the write in flight").isEqualTo(Status.OK);
      closing.get();
    }
  }
}
