package io.quorate.server.verification.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.verification.nemesis.Arena;
import io.quorate.server.verification.nemesis.Fault;
import io.quorate.server.verification.nemesis.Nemeses;
import io.quorate.server.verification.nemesis.Nemesis;
import io.quorate.server.verification.network.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The smallest torture: one leader killed, one partition. {@code quorate torture} is the long one.
 */
@Timeout(300)
class TortureTest {
  @TempDir private Path directory;

  @Test
  void aKilledNodeAndAPartitionLeaveNoTrace() throws IOException, InterruptedException {
    torture("acqr");
  }

  @ParameterizedTest
  @ValueSource(strings = {"buc", "quorum"})
  @Tag("slow")
  void aKilledLeaderAndAPartitionLeaveNoTrace(String preset)
      throws IOException, InterruptedException {
    torture(preset);
  }

  private void torture(String preset) throws IOException, InterruptedException {
    Network.obstacle().ifPresent(why -> Assumptions.abort("No torture here: " + why));
    List<Nemesis> nemeses =
        List.of(
            Nemeses.named("kill-leader").orElseThrow(),
            Nemeses.named("partition-full").orElseThrow(),
            new NotHere());
    // With this seed, both faults come in the first round.
    Seed seed = Seed.parse("3-3");

    TortureResult result =
        new Torture(
                new TortureOptions(
                    new Shape(3, 3, preset),
                    Duration.ofMillis(1),
                    seed,
                    nemeses,
                    Duration.ofMinutes(1),
                    Optional.empty(),
                    Optional.of(directory)))
            .run();

    assertThat(result.findings()).isEmpty();
    assertThat(result.verdict()).isEqualTo(TortureResult.Verdict.LINEARIZABLE);
    assertThat(result.faults().get("kill-leader").injected()).isEqualTo(1);
    assertThat(result.faults().get("partition-full").injected()).isEqualTo(1);
    assertThat(result.faults().get("not-here").obstacle()).hasValue("it is a test");
    assertThat(result.operations().get("put").ok()).isPositive();
    assertThat(result.operations().get("scan").ok()).isPositive();
    assertThat(directory.resolve("history-1.jsonl")).isNotEmptyFile();
  }

  /** A fault that cannot be injected anywhere, and must be told of. */
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
    public Optional<Fault> strike(Arena arena, Random random) {
      throw new AssertionError("It was said that it cannot be injected.");
    }
  }
}
