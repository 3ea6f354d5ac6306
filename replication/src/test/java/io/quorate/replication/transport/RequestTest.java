package io.quorate.replication.transport;

import static io.quorate.replication.transport.TransportNode.GROUP;
import static io.quorate.replication.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests and responses between nodes. */
class RequestTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final RequestTimeout TIMEOUT =
      new RequestTimeout(Duration.ofMinutes(1), "test.request-timeout");

  @TempDir Path root;

  private final List<TransportNode> nodes = new ArrayList<>();
  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void createNodes() throws IOException {
    n1 = new TransportNode("n1", root);
    n2 = new TransportNode("n2", root);
    nodes.addAll(List.of(n1, n2));
  }

  @AfterEach
  void closeAll() {
    nodes.forEach(TransportNode::close);
  }

  private void start() throws IOException {
    n1.start();
    n2.start();
    n1.link(n2);
  }

  @Test
  void aResponseComesFromTheReceiverOfTheRequest() throws Exception {
    start();
    n2.responses =
        (from, request) ->
            CompletableFuture.completedFuture(bytes(from + " requests: " + text(request)));
    assertThat(text(get(call("who?")))).isEqualTo("n1 requests: who?");
    assertThat(text(get(call("")))).isEqualTo("n1 requests: ");
  }

  @Test
  void responsesMayArriveInAnyOrder() throws Exception {
    start();
    List<CompletableFuture<ByteBuffer>> pending = new CopyOnWriteArrayList<>();
    n2.responses =
        (from, request) -> {
          CompletableFuture<ByteBuffer> response = new CompletableFuture<>();
          pending.add(response);
          return response;
        };
    CompletableFuture<ByteBuffer> first = call("1");
    CompletableFuture<ByteBuffer> second = call("2");
    await().atMost(PATIENCE).until(() -> pending.size() == 2);
    pending.get(1).complete(bytes("two"));
    assertThat(text(get(second))).isEqualTo("two");
    assertThat(first).isNotDone();
    pending.get(0).complete(bytes("one"));
    assertThat(text(get(first))).isEqualTo("one");
  }

  @Test
  void longResponsesDoNotBlockMessages() throws Exception {
    start();
    ByteBuffer piece = ByteBuffer.allocate(1 << 20);
    n2.responses = (from, request) -> CompletableFuture.completedFuture(piece.duplicate());
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n2));
    List<CompletableFuture<ByteBuffer>> responses = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      responses.add(call("piece"));
      n1.send(numbered(i), n2);
      n1.transport.flush();
    }
    for (CompletableFuture<ByteBuffer> response : responses) {
      assertThat(get(response)).isEqualTo(piece);
    }
    await().atMost(PATIENCE).until(() -> n2.received.size() == 8);
    assertThat(n2.telemetry.gauge("accepted.connections"))
        .as("one for messages, one for requests")
        .isEqualTo(2);
  }

  @Test
  void requestsInPartsArriveWholeAlsoIfTheyAreLongerThanAChannelHolds() throws Exception {
    start();
    n2.responses = (from, request) -> CompletableFuture.completedFuture(request);
    byte[] content = new byte[1 << 20];
    new SplittableRandom(7).nextBytes(content);
    List<ByteBuffer> parts =
        List.of(
            bytes("head"),
            ByteBuffer.wrap(content, 0, 700_000).asReadOnlyBuffer(),
            ByteBuffer.wrap(content, 700_000, content.length - 700_000).slice());
    ByteBuffer whole = ByteBuffer.allocate(4 + content.length);
    parts.forEach(part -> whole.put(part.duplicate()));
    List<CompletableFuture<ByteBuffer>> responses = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      responses.add(n1.transport.call(n2.id, GROUP, TrafficClass.BULK, parts, TIMEOUT));
    }
    for (CompletableFuture<ByteBuffer> response : responses) {
      assertThat(get(response)).isEqualTo(whole.duplicate().flip());
    }
  }

  @Test
  void theClassesOfTrafficHaveConnectionsOfTheirOwn() throws Exception {
    start();
    CompletableFuture<ByteBuffer> held = new CompletableFuture<>();
    n2.responses =
        (from, request) ->
            text(request).equals("chunk") ? held : CompletableFuture.completedFuture(request);
    CompletableFuture<ByteBuffer> bulk = call("chunk");
    for (int i = 0; i < 10; i++) {
      assertThat(text(get(encoded("vote " + i)))).isEqualTo("vote " + i);
    }
    assertThat(n2.telemetry.gauge("accepted.connections"))
        .as("one for messages, two for requests")
        .isEqualTo(3);
    held.complete(bytes("late"));
    assertThat(text(get(bulk))).isEqualTo("late");
  }

  /** A request that is encoded into the memory from which it is sent. */
  private CompletableFuture<ByteBuffer> encoded(String request) {
    RequestBody body =
        new RequestBody() {
          @Override
          public int size() {
            return bytes(request).remaining();
          }

          @Override
          public void write(ByteBuffer to) {
            to.put(bytes(request));
          }
        };
    return n1.transport.call(n2.id, GROUP, TrafficClass.CONSENSUS, body, TIMEOUT);
  }

  @Test
  void aFailureIsReportedWithItsReason() throws Exception {
    start();
    n2.responses = (from, request) -> CompletableFuture.failedFuture(new IOException("Too busy."));
    assertFails(call("x"), "n2 refused: Too busy.");
    assertFails(
        n1.transport.call(n2.id, new GroupId(99), TrafficClass.BULK, List.of(bytes("x")), TIMEOUT),
        "Group 99 is not open here.");
    n2.responses =
        (from, request) -> CompletableFuture.completedFuture(ByteBuffer.allocate(8 << 20));
    assertFails(call("x"), "rabia.frame-size-max");
    assertFails(
        n1.transport.call(
            n2.id, GROUP, TrafficClass.BULK, List.of(ByteBuffer.allocate(8 << 20)), TIMEOUT),
        "rabia.frame-size-max");
    assertFails(
        n1.transport.call(new NodeId("n9"), GROUP, TrafficClass.BULK, List.of(bytes("x")), TIMEOUT),
        "Node n9 is not linked.");
  }

  @Test
  void aRequestIsServedByTheHandlerOfItsKind() throws Exception {
    start();
    byte one = 1;
    byte two = 2;
    GroupRequests.Handler echo =
        (from, request) -> CompletableFuture.completedFuture(request.slice());
    GroupRequests.Handler sender =
        (from, request) -> CompletableFuture.completedFuture(bytes(from.value()));
    byte broken = 4;
    GroupRequests.Handler thrower =
        (from, request) -> {
          throw new IllegalStateException("a fault");
        };
    GroupRequests served =
        new GroupRequests(
            n2.transport,
            GROUP,
            TrafficClass.BULK,
            Map.of(one, echo, two, sender, broken, thrower));
    n2.responses = served::serve;
    GroupRequests requests = new GroupRequests(n1.transport, GROUP, TrafficClass.BULK, Map.of());
    assertThat(text(get(requests.call(n2.id, one, List.of(bytes("x")), TIMEOUT)))).isEqualTo("x");
    assertThat(text(get(requests.call(n2.id, two, List.of(bytes("x")), TIMEOUT)))).isEqualTo("n1");
    assertFails(
        requests.call(n2.id, (byte) 3, List.of(bytes("x")), TIMEOUT),
        "n2 refused: This version supports no request of kind 3.");
    assertFails(call(""), "no request of kind -1");
    assertFails(requests.call(n2.id, broken, List.of(bytes("x")), TIMEOUT), "n2 refused: a fault");
    assertThat(text(get(requests.call(n2.id, one, List.of(bytes("y")), TIMEOUT)))).isEqualTo("y");
    assertThat(n1.telemetry.count("sent.requests")).isEqualTo(6);
    assertThat(n1.telemetry.count("failed.requests")).isEqualTo(3);
    assertThat(n2.telemetry.count("received.requests")).isEqualTo(6);
    assertThatThrownBy(() -> served.listener().received(n1.id, Unpooled.EMPTY_BUFFER))
        .isInstanceOf(DecodeException.class);
  }

  @Test
  void aRequestWithoutAResponseTimesOut() throws Exception {
    start();
    CompletableFuture<ByteBuffer> late = new CompletableFuture<>();
    n2.responses = (from, request) -> late;
    assertFails(
        n1.transport.call(
            n2.id,
            GROUP,
            TrafficClass.BULK,
            List.of(bytes("x")),
            new RequestTimeout(Duration.ofMillis(200), "test.request-timeout")),
        "Node n2 did not respond within 200ms (test.request-timeout).");
    late.complete(bytes("too late"));
    n2.responses = (from, request) -> CompletableFuture.completedFuture(request);
    assertThat(text(firstResponse("y")))
        .as("a late response completes no other request")
        .isEqualTo("y");
  }

  @Test
  void aRequestToAnUnreachablePeerFailsAtOnce() throws Exception {
    n1.start();
    n1.transport.link(n2.member());
    assertFails(call("x"), "cannot be reached");
  }

  @Test
  void requestsInFlightFailWhenThePeerCloses() throws Exception {
    start();
    List<ByteBuffer> requests = new CopyOnWriteArrayList<>();
    n2.responses =
        (from, request) -> {
          requests.add(request);
          return new CompletableFuture<>();
        };
    CompletableFuture<ByteBuffer> response = call("x");
    await().atMost(PATIENCE).until(() -> requests.size() == 1);
    n2.close();
    assertFails(response, "was lost");
    n2.responses = (from, request) -> CompletableFuture.completedFuture(request);
    n2.start();
    assertThat(text(get(call("y")))).isEqualTo("y");
  }

  @Test
  void requestsInFlightAreBoundedAtTheCaller() throws Exception {
    n1.with("requests-in-flight-max", "2");
    start();
    assertAtMostTwoInFlight("This node waits for as many responses of node n2 as it may");
  }

  @Test
  void requestsInFlightAreBoundedAtThePeer() throws Exception {
    n2.with("requests-in-flight-max", "2");
    start();
    assertAtMostTwoInFlight("n2 refused: This node works on as many requests as it may");
  }

  private void assertAtMostTwoInFlight(String reason) throws Exception {
    List<CompletableFuture<ByteBuffer>> pending = new CopyOnWriteArrayList<>();
    n2.responses =
        (from, request) -> {
          CompletableFuture<ByteBuffer> response = new CompletableFuture<>();
          pending.add(response);
          return response;
        };
    List<CompletableFuture<ByteBuffer>> waiting = List.of(call("1"), call("2"));
    assertFails(call("3"), reason);
    await().atMost(PATIENCE).until(() -> pending.size() == 2);
    pending.forEach(response -> response.complete(bytes("ok")));
    assertThat(text(get(waiting.get(0)))).isEqualTo("ok");
    assertThat(text(get(waiting.get(1)))).isEqualTo("ok");
    n2.responses = (from, request) -> CompletableFuture.completedFuture(request);
    assertThat(text(firstResponse("4"))).as("capacity is released").isEqualTo("4");
  }

  @Test
  void aPeerThatDoesNotRespondDelaysNoRequestsToOthers() throws Exception {
    TransportNode n3 = new TransportNode("n3", root);
    nodes.add(n3);
    n1.with("requests-in-flight-max", "1");
    start();
    n3.start();
    n1.link(n3);
    n2.responses = (from, request) -> new CompletableFuture<>();
    CompletableFuture<ByteBuffer> waiting = call("1");

    CompletableFuture<ByteBuffer> other =
        n1.transport.call(n3.id, GROUP, TrafficClass.BULK, List.of(bytes("2")), TIMEOUT);

    assertThat(text(get(other))).isEqualTo("2");
    assertThat(waiting).isNotDone();
  }

  @Test
  void anIdleConnectionIsClosedAndReopened() throws Exception {
    n1.with("idle-timeout", "600ms");
    n2.with("idle-timeout", "600ms");
    start();
    assertThat(text(get(call("x")))).isEqualTo("x");
    await().atMost(PATIENCE).until(() -> n2.telemetry.gauge("accepted.connections") == 1);
    assertThat(text(get(call("y")))).isEqualTo("y");
  }

  @Test
  void closingFailsRequestsInFlight() throws Exception {
    start();
    n2.responses = (from, request) -> new CompletableFuture<>();
    CompletableFuture<ByteBuffer> response = call("x");
    n1.close();
    assertThatThrownBy(() -> response.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class);
  }

  private CompletableFuture<ByteBuffer> call(String request) {
    return n1.transport.call(n2.id, GROUP, TrafficClass.BULK, List.of(bytes(request)), TIMEOUT);
  }

  /** Repeats the request until it does not fail, and returns the response. */
  private ByteBuffer firstResponse(String request) {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(ExecutionException.class)
        .until(() -> get(call(request)), response -> true);
  }

  private static void assertFails(CompletableFuture<ByteBuffer> response, String reason) {
    assertThatThrownBy(() -> get(response))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining(reason);
  }

  private static ByteBuffer get(CompletableFuture<ByteBuffer> response) throws Exception {
    return response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }
}
