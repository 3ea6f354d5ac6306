package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.client.QuorateClient;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import io.quorate.server.testing.Prometheus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The alerts for operators in a real Prometheus. Skipped where there is none. */
@Tag("slow")
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class AlertsTest extends ClusterFixture {
  private static final Path RULES = Path.of("../ops/quorate-alerts.yml");
  private static final Failpoint SYNC = Failpoint.named("server.sync-watch.before-sync");
  private static final long SLOW_SYNC_MILLIS = 600;

  /** A replica is reported after a minute. */
  private static final Duration ALERT_MAX = Duration.ofMinutes(3);

  static Stream<Preset> presets() {
    return Stream.of(Preset.named("raft").orElseThrow());
  }

  @TempDir private Path directory;
  private Prometheus prometheus;

  @AfterEach
  void close() {
    SYNC.off();
    stop();
    if (prometheus != null) {
      prometheus.close();
    }
  }

  private void awaitFiring(Predicate<Set<String>> condition) {
    await()
        .atMost(ALERT_MAX)
        .pollInterval(Duration.ofMillis(500))
        .until(() -> prometheus.firing(), condition::test);
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void eachFailureIsFiredWithTheNameOfItsNode() throws IOException {
    assumeTrue(
        Prometheus.program("prometheus").isPresent(),
        "The alerts are not tried: there is no prometheus on this machine.");
    start(3, "cluster.regions = 2, placement.slow-recovery = 2s");
    prometheus =
        Prometheus.start(
            Prometheus.program("prometheus").get(),
            Files.createDirectory(directory.resolve("prometheus")),
            RULES,
            IntStream.range(0, 3).mapToObj(cluster::adminPort).toList());
    await().atMost(TIMEOUT).until(() -> prometheus.series("up == 1") == 3);
    awaitFiring(Set::isEmpty);

    SYNC.on(
        (failpoint, file) -> {
          if (((Path) file).startsWith(data(2))) {
            pause(SLOW_SYNC_MILLIS);
          }
        });
    awaitFiring(firing -> firing.equals(Set.of("QuorateDeviceSlow n3")));
    SYNC.off();
    awaitFiring(Set::isEmpty);

    GroupId region = new GroupId(1);
    try (QuorateClient client = client()) {
      NodeId stuck = HeldApply.follower(client.status(), region);
      HeldApply held = new HeldApply(cluster.config(0).cluster().id(), region, stuck);
      try {
        client.put("a", "1");
        awaitFiring(firing -> firing.contains("QuorateReplicaBehind " + stuck));
        assertThat(prometheus.firing())
            .isSubsetOf("QuorateReplicaBehind " + stuck, "QuorateNodeUnhealthy " + stuck);
      } finally {
        held.close();
      }
      awaitFiring(Set::isEmpty);
    }
    nodes.get(1).close();
    awaitFiring(firing -> firing.contains("QuorateNodeDown n2"));
    assertThat(prometheus.firing()).isSubsetOf("QuorateNodeDown n2", "QuorateReplicaMissing");
    nodes.set(1, startWith(1, "storage.free-space-min = 1024GiB"));
    awaitServing(nodes.get(1));
    awaitFiring(Set.of("QuorateWritesRefused n2", "QuorateNodeUnhealthy n2")::equals);

    stop();
    List<String> expected =
        List.of(
            "QuorateClusterDown", "QuorateNodeDown n1", "QuorateNodeDown n2", "QuorateNodeDown n3");
    awaitFiring(firing -> firing.equals(Set.copyOf(expected)));
    // What was computed from the last values of the nodes ends five minutes later at most, and
    // these
    // alerts do not.
    await()
        .during(Duration.ofSeconds(10))
        .atMost(Duration.ofSeconds(30))
        .until(() -> prometheus.firing().containsAll(expected));
  }
}
