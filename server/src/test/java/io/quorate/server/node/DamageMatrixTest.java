package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.common.DurableFiles;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of damage to the files of one node, while another node is off that has acknowledged
 * nothing since: no acknowledged write is ever missing. The damaged node refuses to start, or loses
 * its replica, or the damage is harmless; with the third node, all writes are there again.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class DamageMatrixTest extends ClusterFixture {
  private static final int WRITES = 60;
  private static final Duration ATTEMPT = Duration.ofSeconds(10);

  /** What may happen when a node starts with a damage. */
  private enum Outcome {
    REFUSED,
    LOST,
    HARMLESS
  }

  private interface Change {
    void apply(Path data) throws IOException;
  }

  private record Damage(String kind, Outcome outcome, Change change) {}

  static Stream<Preset> presets() {
    return presets("raft acqr", "");
  }

  @AfterEach
  @Override
  void stop() {
    super.stop();
    nodes.clear();
  }

  private List<Damage> damages() {
    List<Damage> damages = new ArrayList<>();
    damages.add(new Damage("nothing", Outcome.HARMLESS, data -> {}));
    damages.add(damage("consensus/ missing", Outcome.REFUSED, data -> delete(data, "consensus")));
    damages.add(damage("replicas/ missing", Outcome.REFUSED, data -> delete(data, "replicas")));
    damages.add(
        damage(
            "replicas/records emptied",
            Outcome.REFUSED,
            data -> Files.write(data.resolve("replicas").resolve("records"), new byte[0])));
    damages.add(
        damage(
            "directory of the group missing",
            Outcome.LOST,
            data -> DurableFiles.deleteTree(group(fullestLog(data)))));
    damages.add(damage("log file missing", Outcome.LOST, data -> Files.delete(fullestLog(data))));
    if (preset.mode().engine().equals("raft")) {
      damages.add(damage("log file cut", Outcome.LOST, data -> cut(fullestLog(data))));
    }
    damages.add(
        damage("a hole among its records", Outcome.LOST, data -> overwrite(fullestLog(data), 0)));
    damages.add(
        damage("flipped bytes in it", Outcome.LOST, data -> overwrite(fullestLog(data), 0x55)));
    damages.add(damage("storage/ missing", Outcome.HARMLESS, data -> delete(data, "storage")));
    return damages;
  }

  private static Damage damage(String kind, Outcome outcome, Change change) {
    return new Damage(kind, outcome, change);
  }

  @Test
  @Tag("slow")
  void noDamageOfOneNodeLosesAnAcknowledgedWrite() throws IOException {
    start(3, "cluster.regions = 1");
    try (QuorateClient client = client()) {
      client.put("before", "all three");
      nodes.get(1).close();
      for (int i = 0; i < WRITES; i++) {
        client.put("k" + i, "v".repeat(200) + i);
      }
    }
    stop();
    Path former = data(0).resolveSibling("undamaged");
    for (int i = 0; i < 3; i++) {
      copy(data(i), former.resolve("n" + i));
    }
    for (Damage damage : damages()) {
      for (int i = 0; i < 3; i++) {
        DurableFiles.deleteTree(data(i));
        copy(former.resolve("n" + i), data(i));
      }
      damage.change().apply(data(2));
      assertThat(outcome(damage)).as(damage.kind()).isEqualTo(damage.outcome());
      stop();
    }
  }

  private Outcome outcome(Damage damage) {
    Optional<QuorateNode> damaged = startDamaged(damage);
    nodes.add(start(1));
    boolean present = readsEverything(damage, ATTEMPT);
    nodes.add(start(0));
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> assertThat(readsEverything(damage, TIMEOUT)).as(damage.kind()).isTrue());
    if (damaged.isEmpty()) {
      return Outcome.REFUSED;
    }
    return present ? Outcome.HARMLESS : Outcome.LOST;
  }

  private Optional<QuorateNode> startDamaged(Damage damage) {
    try {
      QuorateNode node = start(2);
      nodes.add(node);
      return Optional.of(node);
    } catch (RuntimeException e) {
      assertThat(e).as(damage.kind()).hasStackTraceContaining(data(2).toString());
      return Optional.empty();
    }
  }

  /**
   * Whether all acknowledged writes are read; false if no majority serves. A read that returns
   * anything else fails the test.
   */
  private boolean readsEverything(Damage damage, Duration patience) {
    ClientOptions options = ClientOptions.builder(cluster.seeds()).deadline(patience).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      for (int i = 0; i < WRITES; i++) {
        assertThat(client.get("k" + i))
            .as("%s: k%d", damage.kind(), i)
            .contains("v".repeat(200) + i);
      }
      return true;
    } catch (QuorateException e) {
      return false;
    }
  }

  private static void delete(Path data, String directory) throws IOException {
    DurableFiles.deleteTree(data.resolve(directory));
  }

  /**
   * The log file of region 1 that has most of the writes: it is the largest. Under Raft a change of
   * the leader while the nodes stop begins another one.
   */
  private static Path fullestLog(Path data) throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("consensus").resolve("groups"))) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.getFileName().toString().matches("log_.*|segment-.*"))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  /** The log is in a directory of that of its group. */
  private static Path group(Path log) {
    return log.getParent().getParent();
  }

  private static void cut(Path log) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(bytes, content(bytes) / 2));
  }

  /** Changes two sectors in the middle of the records. */
  private static void overwrite(Path log, int value) throws IOException {
    byte[] bytes = Files.readAllBytes(log);
    int begin = content(bytes) / 2 / 512 * 512;
    Arrays.fill(bytes, begin, begin + 1024, (byte) value);
    Files.write(log, bytes);
  }

  private static int content(byte[] bytes) {
    int end = bytes.length;
    while (bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Path target = to.resolve(from.relativize(path));
        Files.createDirectories(target.getParent());
        Files.copy(path, target);
      }
    }
  }
}
