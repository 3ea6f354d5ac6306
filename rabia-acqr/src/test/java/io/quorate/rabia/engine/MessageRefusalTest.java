package io.quorate.rabia.engine;

import static io.quorate.replication.transport.TransportNode.GROUP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Member;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import io.quorate.replication.transport.GroupListener;
import io.quorate.replication.transport.Payload;
import io.quorate.replication.transport.RawPeer;
import io.quorate.replication.transport.TransportLog;
import io.quorate.replication.transport.TransportNode;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that no correct node sends. */
class MessageRefusalTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final UUID DISK = new UUID(3, 4);
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final Position AT = new Position(1, 1);

  private static final Batch VALID = Batch.of(N2, 1, 1, 1, body(1));

  /** A body under the id of another body. */
  private static final Batch MISMATCHED = new Batch(VALID.id(), 1, body(2));

  private static final List<Function<Batch, Message>> KINDS =
      List.of(
          batch -> new Message.Content(AT, batch),
          batch -> new Message.Request(batch),
          batch -> new Message.FetchedBody(AT, batch),
          batch -> new Message.Decisions(1, List.of(new Decided(batch.id(), Optional.of(batch)))));

  @TempDir Path root;

  private final TransportLog log = new TransportLog();

  @AfterEach
  void close() {
    log.close();
  }

  /** Votes are on ids: a body under the id of another one would be applied in its place. */
  @Test
  void aBodyUnderTheIdOfAnotherIsRefused() throws IOException {
    Decoding decoding = new Decoding();
    try (TransportNode n1 = new TransportNode("n1", root).start();
        TransportNode good = new TransportNode("good", root).start()) {
      n1.transport().leave(GROUP);
      n1.transport().join(GROUP, decoding);
      for (Function<Batch, Message> kind : KINDS) {
        try (RawPeer peer = connect(TransportNode.CLUSTER, n1.member())) {
          peer.send(GROUP, new MessagePayload(kind.apply(MISMATCHED)));
          assertThat(peer.receiveRefusalReason()).isEqualTo(RefusalReason.MALFORMED);
        }
      }
      assertThat(decoding.received).isEmpty();
      try (RawPeer peer = connect(TransportNode.CLUSTER, n1.member())) {
        peer.send(GROUP, new MessagePayload(KINDS.get(0).apply(VALID)));
        await().atMost(PATIENCE).until(() -> decoding.received.size() == 1);
      }

      good.link(n1);
      n1.link(good);
      await().atMost(PATIENCE).until(() -> good.isConnectedTo(n1) && n1.isConnectedTo(good));
      good.send(new MessagePayload(new Message.FetchDecisions(99)), n1);
      good.transport().flush();
      await().atMost(PATIENCE).until(() -> decoding.received.size() == 2);
      assertThat(decoding.received)
          .containsExactly(KINDS.get(0).apply(VALID), new Message.FetchDecisions(99));
    }
  }

  @Test
  void aReplicaRefusesMalformedMessages() throws IOException {
    try (ContractCluster cluster =
        new ContractCluster(
            new RabiaEngineProvider(), new EngineSettings("rabia", Map.of()), root, 3)) {
      cluster.start(N1);
      UUID id = cluster.spec().cluster();
      GroupId group = cluster.spec().group();
      Member n1 = cluster.firstMembers().get(0);
      for (Function<Batch, Message> kind : KINDS) {
        try (RawPeer peer = connect(id, n1)) {
          peer.send(group, new MessagePayload(kind.apply(MISMATCHED)));
          assertThat(peer.receiveRefusalDetail())
              .isEqualTo(
                  "A frame of node n2 cannot be decoded: a batch body does not match its id.");
        }
      }
      try (RawPeer peer = connect(id, n1)) {
        peer.send(group, new MessagePayload(KINDS.get(0).apply(VALID)));
        peer.send(group, new Unknown());
        assertThat(peer.receiveRefusalDetail())
            .as("the message before it was not refused")
            .contains("Unknown message type 99");
      }
    }
  }

  private static RawPeer connect(UUID cluster, Member to) throws IOException {
    return RawPeer.connect(new LocalIdentity(cluster, N2, DISK), to);
  }

  private static Body body(int content) {
    return new Body.Commands(List.of(ByteBuffer.wrap(new byte[] {(byte) content})));
  }

  /** A message of an unknown type. */
  private record Unknown() implements Payload {
    @Override
    public int expectedBytes() {
      return 1;
    }

    @Override
    public void write(ByteBuf to) {
      to.writeByte(99);
    }
  }

  /** Decodes messages as a replica does, and records them. */
  private static final class Decoding implements GroupListener {
    final List<Message> received = new CopyOnWriteArrayList<>();

    @Override
    public void received(NodeId from, ByteBuf message) {
      received.add(MessagePayload.read(message));
    }

    @Override
    public void connected(NodeId peer) {
      // Sends nothing.
    }

    @Override
    public void reachabilityChanged() {
      // Sends nothing.
    }

    @Override
    public CompletionStage<ByteBuffer> onRequest(NodeId from, ByteBuffer request) {
      return CompletableFuture.completedFuture(request);
    }
  }
}
