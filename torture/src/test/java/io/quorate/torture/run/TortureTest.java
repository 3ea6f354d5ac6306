package io.quorate.torture.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.Nemeses;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.disk.Damage;
import io.quorate.torture.testbed.network.Network;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short torture run: one killed leader and one partition. {@code quorate torture} runs longer.
 */
@Timeout(300)
class TortureTest {
  @TempDir private Path directory;

  @Test
  void historiesStayLinearizableAfterAKilledNodeAndAPartition()
      throws IOException, InterruptedException {
    torture("acqr", Map.of());
  }

  @Test
  @Tag("slow")
  void historiesStayLinearizableWithResponsesAtCommitAndReadsAheadOfApplyWithoutALeader()
      throws IOException, InterruptedException {
    torture("acqr", Map.of("reply", "at-commit", "read-acceleration", "on"));
  }

  @Test
  @Tag("slow")
  void theWarmUpIsCheckedAndIsNotARound() throws IOException, InterruptedException {
    TortureResult result =
        torture("raft", List.of(Nemeses.named("full-state-machine").orElseThrow()));

    assertThat(result.rounds()).isEqualTo(1);
    assertThat(directory.resolve("history-0.jsonl")).isNotEmptyFile();
    assertThat(directory.resolve("history-1.jsonl")).isNotEmptyFile();
  }

  @Test
  @Tag("slow")
  void bodiesOfOneNodeThatAreLostAndDamagedAreRestored() throws IOException, InterruptedException {
    TortureResult result =
        torture(
            "craft",
            List.of(
                Nemeses.named("lost-bodies").orElseThrow(),
                Nemeses.named("flipped-bodies").orElseThrow()));

    assertThat(result.findings()).isEmpty();
    assertThat(result.verdict()).isEqualTo(TortureResult.Verdict.LINEARIZABLE);
    assertThat(result.faults().get("lost-bodies").injected()).isEqualTo(1);
    assertThat(result.faults().get("flipped-bodies").injected()).isEqualTo(1);
  }

  /** No result of any operation is wrong then: the reads only fail. */
  @Test
  @Tag("slow")
  void valuesThatAreLostAtAllNodesAreFound() throws IOException, InterruptedException {
    TortureResult result = torture("craft", List.of(new LostEverywhere()));

    assertThat(result.verdict()).isEqualTo(TortureResult.Verdict.UNREADABLE);
    assertThat(result.isUnsafe()).isTrue();
    assertThat(result.findings())
        .anyMatch(finding -> finding.contains("after the cluster had recovered"));
  }

  @Test
  @Tag("slow")
  void whatIsWrongWhenAFaultIsHealedIsAFinding() throws IOException, InterruptedException {
    TortureResult result = torture("raft", List.of(new NotHealed()));

    assertThat(result.verdict()).isEqualTo(TortureResult.Verdict.BROKEN);
    assertThat(result.findings())
        .containsExactly("Round 1: After not-healed: a node does what it must not.");
  }

  private void torture(String preset, Map<String, String> settings)
      throws IOException, InterruptedException {
    List<Nemesis> nemeses =
        List.of(
            Nemeses.named("kill-leader").orElseThrow(),
            Nemeses.named("partition-full").orElseThrow(),
            Nemeses.named("lost-bodies").orElseThrow(),
            new NotHere());

    TortureResult result = torture(preset, settings, nemeses);

    assertThat(result.findings()).isEmpty();
    assertThat(result.verdict()).isEqualTo(TortureResult.Verdict.LINEARIZABLE);
    assertThat(result.faults().get("kill-leader").injected()).isEqualTo(1);
    assertThat(result.faults().get("partition-full").injected()).isEqualTo(1);
    assertThat(result.faults().get("not-here").obstacle()).hasValue("it is a test");
    assertThat(result.faults().get("lost-bodies").obstacle())
        .hasValue("no bodies here: the preset does not code large values");
    assertThat(result.operations().get("put").ok()).isPositive();
    assertThat(result.operations().get("scan").ok()).isPositive();
    assertThat(directory.resolve("history-1.jsonl")).isNotEmptyFile();
  }

  private TortureResult torture(String preset, List<Nemesis> nemeses)
      throws IOException, InterruptedException {
    return torture(preset, Map.of(), nemeses);
  }

  private TortureResult torture(String preset, Map<String, String> settings, List<Nemesis> nemeses)
      throws IOException, InterruptedException {
    Network.obstacle()
        .ifPresent(obstacle -> Assumptions.abort("Torture cannot run here: " + obstacle));
    // With this seed, a killed leader and a partition are both injected in the first round.
    return new Torture(
            new TortureOptions(
                new Shape(3, 3, preset),
                settings,
                Duration.ofMillis(1),
                new Seed(3),
                nemeses,
                Duration.ofMinutes(1),
                Optional.empty(),
                Optional.of(directory)))
        .run();
  }

  /** All nodes are killed and lose all bodies of large values: more than may fail. */
  private record LostEverywhere() implements Nemesis {
    // So many that some are of keys which no later write hides.
    private static final long BYTES_MIN = 256 << 10;

    @Override
    public String name() {
      return "lost-everywhere";
    }

    @Override
    public Optional<Fault> inject(Arena arena, Random random) throws IOException {
      List<NodeProcess> nodes = arena.cluster().nodes();
      await()
          .atMost(Duration.ofMinutes(1))
          // A node may delete a file while the directory is listed.
          .ignoreException(UncheckedIOException.class)
          .until(() -> bodyBytesMin(nodes) >= BYTES_MIN);
      nodes.forEach(NodeProcess::kill);
      for (NodeProcess node : nodes) {
        Damage.removeAll(Damage.bodies(node.plan().dataDirectory()));
        node.start();
      }
      return Optional.of(new Fault("removed the bodies of all nodes", () -> {}));
    }

    private static long bodyBytesMin(List<NodeProcess> nodes) throws IOException {
      long min = Long.MAX_VALUE;
      for (NodeProcess node : nodes) {
        min = Math.min(min, bodyBytes(node));
      }
      return min;
    }

    private static long bodyBytes(NodeProcess node) throws IOException {
      return Damage.filesWithContent(Damage.bodies(node.plan().dataDirectory())).stream()
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  /** A fault after which a node is not as it has to be. */
  private record NotHealed() implements Nemesis {
    @Override
    public String name() {
      return "not-healed";
    }

    @Override
    public Optional<Fault> inject(Arena arena, Random random) {
      return Optional.of(
          new Fault(
              "none",
              () -> {
                throw new IOException("a node does what it must not");
              }));
    }
  }

  /** A fault that cannot be injected anywhere, which must be reported. */
  private record NotHere() implements Nemesis {
    @Override
    public String name() {
      return "not-here";
    }

    @Override
    public Optional<String> obstacle(Arena arena) {
      return Optional.of("it is a test");
    }

    @Override
    public Optional<Fault> inject(Arena arena, Random random) {
      throw new AssertionError("This fault has an obstacle and must not be injected.");
    }
  }
}
