package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Parser;
import io.netty.buffer.Unpooled;
import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.internal.AsyncClient;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.client.internal.topology.TopologyWaiter;
import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.protocol.connect.AddressRace;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Topology;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is thrown in a step of a call, the call ends by its deadline, and the client goes on
 * working: with room for one call in flight and none that waits, a later call succeeds.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThrownTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final AtomicReference<Throwable> toThrow = new AtomicReference<>();
  private final Error thrown = new StackOverflowError("thrown by a test");
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3);
  }

  @AfterEach
  void stop() {
    Failpoint.known().forEach(Failpoint::off);
    cluster.close();
  }

  private ClientOptions.Builder options() {
    return ClientOptions.builder(cluster.addresses())
        .deadline(DEADLINE)
        .inFlight(1, 1 << 20)
        .waiting(0, 0);
  }

  /** For calls that go on until their deadline. */
  private static ClientOptions.Builder shortDeadline(ClientOptions.Builder options) {
    return options.deadline(Duration.ofSeconds(1)).attemptTimeout(Duration.ofMillis(300));
  }

  private AsyncQuorateClient open() {
    AsyncQuorateClient client = AsyncClient.open(options().build());
    client.ready().join();
    return client;
  }

  private static ClientContext context(AsyncQuorateClient client) {
    return AsyncClient.caller(client).context();
  }

  private static Caller caller(AsyncQuorateClient client) {
    return AsyncClient.caller(client).withDeadline(DEADLINE);
  }

  private static Throwable failure(CompletableFuture<?> call) {
    Throwable failure = Failures.unwrap(catchThrowable(call::join));
    assertThat(failure).as("the failure of the call").isNotNull();
    return failure;
  }

  private void assertFailed(
      CompletableFuture<?> call, Class<? extends QuorateException> type, Throwable cause) {
    assertThat(failure(call))
        .isInstanceOf(type)
        .hasMessageContaining(cause.getClass().getSimpleName())
        .hasCause(cause);
  }

  /** Nothing of the calls before is left, and another one succeeds. */
  private static void assertWorks(AsyncQuorateClient client) {
    AsyncQuorateClient patient = client.withDeadline(DEADLINE);
    await()
        .pollDelay(Duration.ZERO)
        .until(() -> patient.put("works", "yes").handle((at, cause) -> cause == null).join());
    assertThat(patient.get("works").join()).contains("yes");
    assertThat(context(client).onLoop(ThrownTest::left).join()).containsExactly(0, 0, 0);
    assertThat(context(client).onLoop(ThrownTest::isIdle).join()).isTrue();
  }

  private static CompletableFuture<List<Integer>> left(ClientContext context) {
    FlowController admission = context.admission();
    return CompletableFuture.completedFuture(
        List.of(admission.calls(), admission.waitingCalls(), admission.enteredCalls()));
  }

  private static CompletableFuture<Boolean> isIdle(ClientContext context) {
    return CompletableFuture.completedFuture(!context.needsTopology());
  }

  /** Does what {@code real} does, and throws at the end of this method. */
  private <T> T throwingAt(String method, Class<T> type, T real) {
    return changedAt(
        method,
        type,
        real,
        result -> {
          throw thrown;
        });
  }

  /** Does what {@code real} does, but for the result of this method. */
  @SuppressWarnings("unchecked")
  private static <T> T changedAt(
      String method, Class<T> type, T real, UnaryOperator<Object> change) {
    return (T)
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              try {
                called.setAccessible(true);
                Object result = called.invoke(real, arguments);
                return called.getName().equals(method) ? change.apply(result) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Stream<Arguments> stepsOfRequests() {
    return Stream.of(
            "key",
            "opcode",
            "requireWithin",
            "maySend",
            "sharedRead",
            "isForReplicas",
            "bodyBytes",
            "writeBody",
            "isToBeginAnew",
            "read")
        .flatMap(step -> Stream.of(Arguments.of(step, true), Arguments.of(step, false)));
  }

  @ParameterizedTest(name = "{0}, write: {1}")
  @MethodSource("stepsOfRequests")
  @SuppressWarnings("unchecked")
  void aRequestThatThrowsEnds(String step, boolean write) {
    boolean maySend = List.of("writeBody", "isToBeginAnew", "read").contains(step);
    try (AsyncQuorateClient client = open()) {
      RegionRequest<?> request =
          throwingAt(step, RegionRequest.class, write ? put() : get(Guarantee.LINEARIZABLE));
      assertFailed(
          caller(client).submit(request, ObservedCall.NONE),
          write && maySend ? IndeterminateException.class : UnavailableException.class,
          thrown);
      assertWorks(client);
    }
  }

  private static RegionRequest<?> put() {
    return WriteRequest.of(
        new Operation.Put(Key.utf8("a"), ByteBuffer.wrap(new byte[1])), outcome -> 1);
  }

  private RegionRequest<?> get(Guarantee guarantee) {
    return new GetRequest(
        Key.utf8("a"),
        ReadOptions.of(
            guarantee, options().quorumReads(ClientOptions.QuorumReads.BY_CLIENT).build()));
  }

  /** The buffer of the frame has not enough room for it then. */
  @Test
  void aFrameThatCannotBeEncodedEndsItsCall() {
    try (AsyncQuorateClient client = open()) {
      RegionRequest<?> request =
          changedAt("bodyBytes", RegionRequest.class, put(), bytes -> (int) bytes - 10);
      assertThat(failure(caller(client).submit(request, ObservedCall.NONE)))
          .isInstanceOf(IndeterminateException.class)
          .hasCauseInstanceOf(IndexOutOfBoundsException.class);
      assertWorks(client);
    }
  }

  /** Its result is known by then. */
  @Test
  @SuppressWarnings("unchecked")
  void aRequestThatThrowsAtItsEndHasItsResult() {
    try (AsyncQuorateClient client = open()) {
      RegionRequest<?> request = throwingAt("ended", RegionRequest.class, put());
      assertThat(caller(client).submit(request, ObservedCall.NONE).join()).isEqualTo(1);
      assertWorks(client);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bodyBytes", "writeBody", "read"})
  @SuppressWarnings("unchecked")
  void aQuorumReadThatThrowsEnds(String step) {
    cluster.leaderless();
    try (AsyncQuorateClient client = open()) {
      RegionRequest<?> real = get(Guarantee.LINEARIZABLE);
      RegionRequest<?> request =
          changedAt(
              "sharedRead",
              RegionRequest.class,
              real,
              result ->
                  ((Optional<SharedRead<?>>) result)
                      .map(read -> throwingAt(step, SharedRead.class, read)));
      assertThat(sharedRead(client, real)).isPresent();
      assertFailed(
          caller(client).submit(request, ObservedCall.NONE), UnavailableException.class, thrown);
      assertWorks(client);
    }
  }

  private static Optional<?> sharedRead(AsyncQuorateClient client, RegionRequest<?> request) {
    return context(client)
        .onLoop(
            loop -> {
              TopologySnapshot topology = loop.router().topology().orElseThrow();
              return CompletableFuture.<Optional<?>>completedFuture(request.sharedRead(topology));
            })
        .join();
  }

  @Test
  void aResolverThatThrowsFailsTheCallsThatNeedIt() {
    AddressRace.Lookup lookup =
        host -> {
          if (toThrow.get() != null) {
            throw (Error) toThrow.get();
          }
          return AddressRace.Lookup.SYSTEM.of("127.0.0.1");
        };
    toThrow.set(thrown);
    ClientOptions.Builder options =
        ClientOptions.builder("quorate.invalid:" + cluster.node(1).port())
            .connectTimeout(Duration.ofSeconds(50))
            .inFlight(1, 1 << 20)
            .waiting(0, 0);
    try (AsyncQuorateClient client = AsyncClient.open(shortDeadline(options).build(), lookup)) {
      assertFailed(client.ready(), UnavailableException.class, thrown);
      assertFailed(client.get("a"), UnavailableException.class, thrown);
      toThrow.set(null);
      assertWorks(client);
    }
  }

  @Test
  void aTaskOnTheEventLoopThatThrowsFails() {
    try (AsyncQuorateClient client = open()) {
      assertFailed(
          context(client)
              .onLoop(
                  loop -> {
                    throw thrown;
                  }),
          UnavailableException.class,
          thrown);
      assertFailed(
          context(client).onLoop(loop -> CompletableFuture.failedFuture(thrown)),
          UnavailableException.class,
          thrown);
      assertThat(failure(context(client).onLoop(loop -> null)))
          .isInstanceOf(UnavailableException.class)
          .hasCauseInstanceOf(NullPointerException.class);
      assertWorks(client);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "STATUS,          io.quorate.client.UnavailableException",
    "TRANSFER_LEADER, io.quorate.client.IndeterminateException"
  })
  void aResponseThatCannotBeReadEndsItsRequest(
      Opcode opcode, Class<? extends QuorateException> type) {
    cluster.node(1).always(opcode, request -> request.respond(Status.OK, Unpooled.buffer()));
    try (AsyncQuorateClient client = open()) {
      @SuppressWarnings("unchecked")
      Parser<Topology> parser = throwingAt("parseFrom", Parser.class, Topology.parser());
      CompletableFuture<Topology> call =
          context(client)
              .onLoop(
                  loop ->
                      AdminCall.of(
                          loop.candidates().get(0), opcode, parser, loop.loop(), DEADLINE));
      assertFailed(call, type, thrown);
      assertWorks(client);
    }
  }

  @Test
  void aWaiterForTheTopologyThatThrowsDoesNotAffectTheOthers() {
    TopologyWaiter failing =
        new TopologyWaiter() {
          @Override
          public void topologyLearned() {
            throw thrown;
          }

          @Override
          public void topologyRejected(QuorateException cause) {
            throw thrown;
          }

          @Override
          public void thrown(Throwable cause) {
            toThrow.set(cause);
            throw new IllegalStateException("thrown by a test", cause);
          }
        };
    try (AsyncQuorateClient client = AsyncClient.open(options().build())) {
      context(client)
          .onLoop(
              loop -> {
                loop.awaitTopology(failing);
                return CompletableFuture.completedFuture(null);
              })
          .join();
      client.ready().join();
      assertThat(toThrow.get()).isSameAs(thrown);
      assertWorks(client);
    }
  }

  /** In a client that does not know the cluster yet. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "client.topology.search",
        "client.topology.update",
        "client.connection.connect",
        "client.connection.read"
      })
  void whatThrowsWhileTheClientConnectsEndsItsCalls(String failpoint) {
    Failpoint.named(failpoint).on((at, subject) -> throwIt());
    try (AsyncQuorateClient client = AsyncClient.open(shortDeadline(options()).build())) {
      CompletableFuture<?> ready = client.ready();
      CompletableFuture<?> put = client.put("a", "1");
      assertFailed(ready, UnavailableException.class, thrown);
      assertFailed(put, UnavailableException.class, thrown);
      assertFailed(client.get("a"), UnavailableException.class, thrown);
      assertThat(failure(client.nodes().preview())).isInstanceOf(UnavailableException.class);
      Failpoint.named(failpoint).off();
      assertWorks(client);
    }
  }

  @Test
  void aSeedThatCannotBeAskedForItsClusterIsNoObstacle() {
    Failpoint.named("client.seeds.ask").on((at, subject) -> throwIt());
    try (FakeCluster stranger = FakeCluster.start(1);
        AsyncQuorateClient client =
            AsyncClient.open(
                ClientOptions.builder(cluster.addresses() + "," + stranger.addresses())
                    .deadline(DEADLINE)
                    .build())) {
      client.ready().join();
      assertWorks(client);
    }
  }

  @Test
  void aResponseWhoseReadingThrowsLeavesAWriteInDoubt() {
    try (AsyncQuorateClient client = AsyncClient.open(shortDeadline(options()).build())) {
      assertWorks(client);
      Failpoint.named("client.connection.read").on((at, subject) -> throwIt());
      assertFailed(client.put("a", "2"), IndeterminateException.class, thrown);
      assertFailed(client.get("a"), UnavailableException.class, thrown);
      Failpoint.named("client.connection.read").off();
      assertWorks(client);
    }
  }

  @Test
  void whatThrowsInARequestAboutTheClusterEndsIt() {
    try (AsyncQuorateClient client = AsyncClient.open(shortDeadline(options()).build())) {
      assertWorks(client);
      Failpoint.named("client.status.read").on((at, subject) -> throwIt());
      assertFailed(client.status(), UnavailableException.class, thrown);
      assertFailed(client.nodes().preview(), UnavailableException.class, thrown);
      Failpoint.named("client.status.read").off();
      Failpoint.named("client.metadata.attempt").on((at, subject) -> throwIt());
      assertFailed(client.nodes().preview(), UnavailableException.class, thrown);
      Failpoint.named("client.metadata.attempt").off();
      assertThat(client.status().join().isReachable()).isTrue();
      assertWorks(client);
    }
  }

  /** No thread waits for the end of a client that fails at its end. */
  @Test
  void aClientThatFailsAtItsEndIsClosed() {
    AsyncQuorateClient client = open();
    context(client)
        .onLoop(
            loop -> {
              loop.awaitTopology(
                  new TopologyWaiter() {
                    @Override
                    public void topologyLearned() {}

                    @Override
                    public void topologyRejected(QuorateException cause) {
                      throw thrown;
                    }

                    @Override
                    public void thrown(Throwable cause) {
                      throw new IllegalStateException("thrown by a test", cause);
                    }
                  });
              return CompletableFuture.completedFuture(null);
            })
        .join();
    client.close();
  }

  private void throwIt() {
    throw thrown;
  }
}
