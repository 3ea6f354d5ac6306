package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CallListenerTest {
  private final List<CallReport> reports = new CopyOnWriteArrayList<>();
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(2);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private AsyncQuorateClient open(CallListener listener) {
    return AsyncQuorateClient.open(options(cluster).listener(listener).inFlight(10, 100).build());
  }

  @Test
  void eachCallIsReportedBeforeItsFutureCompletes() {
    try (AsyncQuorateClient client = open(reports::add)) {
      client.put("a", "1").join();
      assertThat(reports).hasSize(1);
      cluster.nodes().forEach(node -> node.next(Opcode.GET, Reaction.refuse(Status.UNAVAILABLE)));
      client.get("a").join();
      client.scan(bytes(""), 10).join();
      QuorateException tooLong = (QuorateException) failure(client.put("a", "1".repeat(100)));

      assertThat(reports)
          .extracting(CallReport::kind)
          .containsExactly(
              CallReport.Kind.WRITE,
              CallReport.Kind.READ,
              CallReport.Kind.SCAN,
              CallReport.Kind.WRITE);
      assertThat(reports.get(1).attempts()).isGreaterThan(1);
      assertThat(reports.get(1).time()).isPositive();
      assertThat(reports.get(2).attempts()).isEqualTo(1);
      assertThat(reports.get(2).failure()).isEmpty();
      assertThat(reports.get(3).attempts()).isZero();
      assertThat(reports.get(3).failure()).isEqualTo(Optional.of(tooLong));
    }
  }

  @Test
  void aListenerThatThrowsDoesNotAffectCalls() {
    CallListener failing =
        call -> {
          throw new IllegalStateException("thrown by the listener of a test");
        };
    try (AsyncQuorateClient client = open(failing)) {
      client.put("a", "1").join();
      assertThat(client.get("a").join()).contains("1");
    }
  }

  @Test
  void micrometerHasATimerForEachKindAndOutcome() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (AsyncQuorateClient client =
        open(new ClientMetrics(registry, Tags.of("application", "test")))) {
      client.put("a", "1").join();
      client.put("a", "2").join();
      cluster.nodes().forEach(node -> node.next(Opcode.GET, Reaction.refuse(Status.UNAVAILABLE)));
      client.get("a").join();
      failure(client.put("a", "1".repeat(100)));

      assertThat(
              registry
                  .get("quorate.client.calls")
                  .tags("application", "test", "kind", "write", "outcome", "ok")
                  .timer()
                  .count())
          .isEqualTo(2);
      assertThat(
              registry
                  .get("quorate.client.calls")
                  .tags("kind", "write", "outcome", "invalid")
                  .timer()
                  .count())
          .isEqualTo(1);
      assertThat(registry.get("quorate.client.retries").tag("kind", "read").counter().count())
          .isPositive();
    }
  }
}
