package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = ClientFixture.twoRegions();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private AsyncQuorateClient open(CallListener listener) {
    return AsyncQuorateClient.open(options(cluster).listener(listener).inFlight(2, 100).build());
  }

  private long calls(String... tags) {
    return registry.get("quorate.client.calls").tags(tags).timers().stream()
        .mapToLong(timer -> timer.count())
        .sum();
  }

  private double gauge(String name) {
    return registry.get("quorate.client.calls." + name).gauge().value();
  }

  private Set<String> values(String tag) {
    return registry.getMeters().stream()
        .map(Meter::getId)
        .filter(id -> id.getName().equals("quorate.client.calls"))
        .map(id -> id.getTag(tag))
        .collect(Collectors.toSet());
  }

  @Test
  void theTimerHasOperationOutcomeRegionAndNode() {
    try (AsyncQuorateClient client =
        open(new ClientMetrics(registry, Tags.of("application", "test")))) {
      client.put("a", "1").join();
      client.put("z", "1").join();
      client.put("z", "2").join();
      failure(client.put("a", "1".repeat(100)));
      client.status().join();

      assertThat(calls("application", "test", "operation", "put", "outcome", "ok")).isEqualTo(3);
      assertThat(calls("operation", "put", "region", "1", "node", "n1")).isEqualTo(1);
      assertThat(calls("operation", "put", "region", "2", "node", "n2")).isEqualTo(2);
      assertThat(calls("outcome", "invalid", "region", "none", "node", "none")).isEqualTo(1);
      assertThat(calls("operation", "status", "outcome", "ok", "region", "none")).isEqualTo(1);
    }
  }

  @Test
  void retriesAreCounted() {
    try (AsyncQuorateClient client = open(new ClientMetrics(registry, Tags.empty()))) {
      client.put("a", "1").join();
      cluster.nodes().forEach(node -> node.next(Opcode.GET, Reaction.refuse(Status.UNAVAILABLE)));
      client.get("a").join();
      assertThat(registry.get("quorate.client.retries").tag("operation", "get").counter().count())
          .isPositive();
      assertThat(registry.find("quorate.client.retries").tag("operation", "put").counter())
          .isNull();
    }
  }

  @Test
  void gaugesTellWhatIsInFlightAndWhatWaits() {
    try (AsyncQuorateClient client = open(new ClientMetrics(registry, Tags.empty()))) {
      client.put("a", "1").join();
      assertThat(gauge("in.flight")).isZero();
      cluster.nodes().forEach(node -> node.always(Opcode.GET, Reaction.swallow()));
      List<CompletableFuture<Optional<String>>> calls =
          IntStream.range(0, 5).mapToObj(number -> client.get("a")).toList();
      await().until(() -> gauge("in.flight") == 2 && gauge("waiting") == 3);
      cluster.nodes().forEach(node -> node.serveNormally());
      cluster.nodes().forEach(node -> node.closeConnections());
      calls.forEach(CompletableFuture::join);
      failure(client.put("a", "1".repeat(100)));

      assertThat(gauge("in.flight")).isZero();
      assertThat(gauge("waiting")).isZero();
    }
  }

  @Test
  void theNumberOfTagsOfRegionsAndNodesIsBounded() {
    ClientMetrics metrics = new ClientMetrics(registry, Tags.empty(), 3, 2);
    for (int pass = 0; pass < 2; pass++) {
      for (int number = 1; number <= 1000; number++) {
        metrics.begin(new CallStart(CallOperation.GET)).end(report(number));
      }
    }
    assertThat(values("region")).containsExactlyInAnyOrder("1", "2", "3", "other");
    assertThat(values("node")).containsExactlyInAnyOrder("n1", "n2", "other");
    assertThat(calls("region", "2")).isEqualTo(2);
    assertThat(calls("region", "other", "node", "other")).isEqualTo(2 * 997);
  }

  @Test
  void withoutTagsOfRegionsAndNodesAllAreOther() {
    ClientMetrics metrics = new ClientMetrics(registry, Tags.empty(), 0, 0);
    metrics.begin(new CallStart(CallOperation.GET)).end(report(1));
    assertThat(values("region")).containsExactly("other");
    assertThat(values("node")).containsExactly("other");
    assertThatThrownBy(() -> new ClientMetrics(registry, Tags.empty(), -1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static CallReport report(int number) {
    return new CallReport(
        CallOperation.GET,
        Duration.ofMillis(1),
        1,
        0,
        Optional.of(new GroupId(number)),
        Optional.of(new NodeId("n" + number)),
        Optional.empty());
  }
}
