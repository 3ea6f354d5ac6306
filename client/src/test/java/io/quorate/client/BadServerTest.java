package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that violates the protocol ends a connection; the client remains usable. */
class BadServerTest {
  private static final byte[] HTTP =
      "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** A frame of three bytes, too short for its header, and no checks that match. */
  private static final byte[] SHORT_FRAME = Arrays.copyOf(new byte[] {0, 0, 0, 3, 1, 2, 3}, 20);

  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private QuorateClient connect() {
    return QuorateClient.connect(options(cluster).build());
  }

  @Test
  void garbageInsteadOfAResponseIsRetriedOnANewConnection() {
    try (QuorateClient client = connect()) {
      FakeNode node = cluster.node(1);
      node.next(Opcode.WRITE, Reaction.send(HTTP));
      node.next(Opcode.WRITE, Reaction.send(SHORT_FRAME));
      node.next(
          Opcode.WRITE,
          Reaction.send(Arrays.copyOf(new byte[] {0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 9, 9, 77}, 21)));
      assertThat(client.incrementAndGet("n", 1)).isEqualTo(1);
      assertThat(node.accepted()).isGreaterThanOrEqualTo(4);
    }
  }

  /** Every byte of a response: length, check, correlation, kind, body and checksum. */
  @Test
  void aResponseWithOneAlteredBitIsNotReadAndClosesItsConnection() {
    FakeNode node = cluster.node(1);
    try (QuorateClient client = connect()) {
      client.put("a", "value");
      int bodyBytes = Position.BYTES + 1 + "value".length();
      int frameBytes = Frames.HEADER_BYTES + CheckedFrame.OVERHEAD_BYTES + bodyBytes;
      int connections = node.accepted();
      for (int i = 0; i < frameBytes; i++) {
        int at = i;
        node.next(Opcode.GET, request -> request.serveAltered(at));
        assertThat(client.get("a")).as("byte %d", at).contains("value");
      }
      assertThat(node.accepted()).isGreaterThanOrEqualTo(connections + frameBytes);
    }
  }

  @Test
  void theRefusalByAServerOfAnotherVersionIsRead() {
    byte[] body = Failure.newBuilder().setMessage("another version").build().toByteArray();
    ByteBuf refusal =
        Frames.refusal(UnpooledByteBufAllocator.DEFAULT, Status.INCOMPATIBLE.code(), body);
    cluster.node(1).always(Opcode.HELLO, Reaction.send(ByteBufUtil.getBytes(refusal)));
    assertThatThrownBy(this::connect)
        .isInstanceOf(IncompatibleException.class)
        .hasMessageContaining("another version");
  }

  @Test
  void aSlowGreetingIsAwaitedOnItsConnection() {
    FakeNode node = cluster.node(1);
    Duration connectTimeout = Duration.ofMillis(50);
    Executor later = CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS);
    node.next(Opcode.HELLO, request -> later.execute(request::serve));
    ClientOptions options = options(cluster).connectTimeout(connectTimeout).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      client.put("a", "1");
      assertThat(node.count(Opcode.HELLO)).isEqualTo(1);
      assertThat(node.accepted()).isEqualTo(1);
    }
  }

  @Test
  void anOverloadedNodeIsGreetedAgainOnTheSameConnection() {
    FakeNode node = cluster.node(1);
    node.next(Opcode.HELLO, Reaction.refuse(Status.OVERLOADED));
    node.next(Opcode.HELLO, Reaction.refuse(Status.OVERLOADED));
    try (QuorateClient client = connect()) {
      client.put("a", "1");
      assertThat(node.count(Opcode.HELLO)).isEqualTo(3);
      assertThat(node.accepted()).isEqualTo(1);
    }
  }

  @Test
  void aMalformedResponseIsRetriedOnANewConnection() {
    try (QuorateClient client = connect()) {
      Reaction malformed =
          request -> request.respond(Status.OK, Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
      cluster.node(1).next(Opcode.WRITE, malformed);
      cluster.node(1).next(Opcode.GET, malformed);
      cluster.node(1).next(Opcode.SCAN, malformed);
      assertThat(client.incrementAndGet("n", 1)).isEqualTo(1);
      assertThat(client.get("n")).contains("1");
      assertThat(client.scan(KeyRange.from(Key.utf8("n")), 1)).hasSize(1);
    }
  }

  @Test
  void anOversizedResponseFailsTheCallWithoutHanging() {
    ClientOptions options = options(cluster).frameBytesMax(4096).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      client.put(bytes("large"), new byte[10_000]);
      QuorateClient shortDeadline = client.withDeadline(Duration.ofMillis(1500));
      assertThatThrownBy(() -> shortDeadline.get("large"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("longer than 4096 bytes");
      client.put("small", "1");
      assertThat(client.get("small")).contains("1");
    }
  }

  @Test
  void randomBytesNeverHangACall() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    // With fewer bytes than a header has, the attempt would end only at its timeout.
    ClientOptions options =
        options(cluster).attemptTimeout(ClientFixture.ATTEMPT_TIMEOUT_SHORT).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      for (int i = 0; i < 20; i++) {
        byte[] noise = new byte[Integer.BYTES * 5 + random.nextInt(200)];
        random.nextBytes(noise);
        cluster.node(1).next(Opcode.GET, Reaction.send(noise));
        assertThat(client.get("a")).as("seed %d", seed).isEmpty();
      }
    }
  }

  @Test
  void aServerOfAnotherProtocolIsIncompatible() {
    cluster.node(1).always(Opcode.HELLO, Reaction.send(HTTP));
    assertThatThrownBy(this::connect)
        .isInstanceOf(IncompatibleException.class)
        .hasMessageContaining("does not keep to the protocol");
  }

  @Test
  void aServerOfAnotherVersionIsIncompatible() {
    cluster.node(1).always(Opcode.HELLO, Reaction.refuse(Status.INCOMPATIBLE));
    assertThatThrownBy(this::connect)
        .isInstanceOf(IncompatibleException.class)
        .hasMessageContaining("scripted INCOMPATIBLE");
  }

  @Test
  void anotherClusterIsIncompatible() {
    ClientOptions options = options(cluster).clusterId("production").build();
    assertThatThrownBy(() -> QuorateClient.connect(options))
        .isInstanceOf(IncompatibleException.class)
        .hasMessageContaining("belongs to the cluster fake, not to production");
  }

  @Test
  void aClusterWhoseIdChangesReceivesNoWrites() {
    try (QuorateClient client = connect()) {
      client.put("a", "1");
      cluster.node(1).stop();
      // A write on the old connection could have taken effect; from then on the client has none.
      QuorateClient shortDeadline = client.withDeadline(Duration.ofMillis(500));
      assertThatThrownBy(() -> shortDeadline.get("a")).isInstanceOf(UnavailableException.class);
      cluster.node(1).clusterId("other");
      cluster.node(1).start();
      assertThat(failure(client.async().put(bytes("a"), bytes("2"))))
          .isInstanceOfAny(IncompatibleException.class, UnavailableException.class);
      assertThat(cluster.value("a")).contains("1");
    }
  }

  @Test
  void aServerThatDoesNotCompleteTheHandshakeIsUnavailable() {
    cluster.node(1).always(Opcode.HELLO, Reaction.swallow());
    ClientOptions shortDeadline = options(cluster).deadline(Duration.ofMillis(500)).build();
    assertThatThrownBy(() -> QuorateClient.connect(shortDeadline))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void aRequestBeyondTheServersFrameLimitIsRejectedAndNotSent() {
    cluster.node(1).limits(2000, 100);
    try (QuorateClient client = connect()) {
      assertThatThrownBy(() -> client.put(bytes("a"), new byte[3000]))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("frames of at most 2000 bytes");
      assertThat(cluster.node(1).count(Opcode.WRITE)).isZero();
      client.put("a", "1");
      assertThat(client.get("a")).contains("1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "host", "host:", "host:x", ":1", "host:0", "host:65536", "a:1,,b:2"})
  void anInvalidAddressIsRejected(String seeds) {
    assertThatThrownBy(() -> ClientOptions.of(seeds))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(".");
  }

  @Test
  void optionsOutOfBoundsAreRejectedByName() {
    ClientOptions.Builder builder = ClientOptions.builder("h:1");
    assertThatThrownBy(() -> builder.deadline(Duration.ofMinutes(6)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A client's deadline is above 0 and at most 5m, not 6m.");
    builder.deadline(Duration.ofSeconds(1));
    assertThatThrownBy(() -> builder.inFlight(0, 1).build())
        .hasMessage("A client's requests in flight are from 1 to 1048576, not 0.");
  }
}
