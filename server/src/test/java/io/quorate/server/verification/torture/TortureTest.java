package io.quorate.server.verification.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.dev.ClusterPlan.Shape;
import io.quorate.server.verification.nemesis.Nemeses;
import io.quorate.server.verification.nemesis.Nemesis;
import io.quorate.server.verification.network.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The smallest torture: one leader killed, one partition. {@code quorate torture} is the long one.
 */
@Timeout(300)
class TortureTest {
  @TempDir private Path directory;

  @Test
  void aKilledLeaderAndAPartitionLeaveNoTrace() throws IOException, InterruptedException {
    Network.obstacle().ifPresent(why -> Assumptions.abort("No torture here: " + why));
    List<Nemesis> nemeses =
        Stream.of("kill-leader", "partition-full", "disk-full")
            .map(name -> Nemeses.named(name).orElseThrow())
            .toList();
    // With this seed, both faults come in the first round.
    Seed seed = Seed.parse("1-3");

    TortureResult result =
        new Torture(
                new TortureOptions(
                    new Shape(3, 3, "raft"),
                    Duration.ofMillis(1),
                    seed,
                    nemeses,
                    Optional.empty(),
                    Optional.of(directory)))
            .run();

    assertThat(result.findings()).isEmpty();
    assertThat(result.verdict()).isEqualTo(TortureResult.Verdict.LINEARIZABLE);
    assertThat(result.faults().get("kill-leader").injected()).isEqualTo(1);
    assertThat(result.faults().get("partition-full").injected()).isEqualTo(1);
    assertThat(result.faults().get("disk-full").obstacle()).isPresent();
    assertThat(result.operations().get("put").ok()).isPositive();
    assertThat(result.operations().get("scan").ok()).isPositive();
    assertThat(directory.resolve("history-1.jsonl")).isNotEmptyFile();
  }
}
