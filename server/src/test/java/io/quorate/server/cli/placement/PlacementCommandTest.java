package io.quorate.server.cli.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.Device;
import io.quorate.protocol.wire.v1.Placement;
import io.quorate.protocol.wire.v1.PlacementDecision;
import io.quorate.protocol.wire.v1.WholeRegion;
import io.quorate.server.cli.CliRun;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlacementCommandTest {
  private static final String REASON = "its device is 3.4 times as fast as that of n2";

  private static final String WHOLE = "all 3 nodes have every region; a split moves nothing";

  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "m");
    cluster
        .node(1)
        .always(
            Opcode.STATUS,
            Reaction.changedStatus(
                status ->
                    status
                        .setDevice(
                            Device.newBuilder()
                                .setWriteRate(200e6)
                                .setSpeed(64 << 20)
                                .setCapacity(192 << 20)
                                .setSyncNanos(1_230_000)
                                .setSlow(true))
                        .setPlacement(
                            Placement.newBuilder()
                                .setPolicy("alor")
                                .addWholeRegions(
                                    WholeRegion.newBuilder()
                                        .setRegion(1)
                                        .setRowBytes(3L << 30)
                                        .setReason(WHOLE))
                                .addDecisions(
                                    PlacementDecision.newBuilder()
                                        .setTimeMs(0)
                                        .setKind("transfer")
                                        .setRegion(2)
                                        .setFrom("n2")
                                        .setTo("n1")
                                        .setReason(REASON)
                                        .setOutcome("completed")))));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private CliRun run(String... options) {
    String[] arguments =
        Stream.concat(
                Stream.of("placement", "--at=" + cluster.addresses()), List.of(options).stream())
            .toArray(String[]::new);
    // The first request of a process may take longer than the status waits for a node.
    return await().until(() -> CliRun.of(arguments), run -> run.out().contains("alor"));
  }

  @Test
  void devicesAndDecisionsAreShown() {
    assertThat(run().out())
        .startsWith("Policy alor\n")
        .containsPattern("n1 +slow +64.0 MiB/s +1.2 ms +\\S+ \\S+ +192.0 MiB +\\d")
        .containsPattern("n2 +- +- +- ")
        .containsPattern("REGION +SIZE +NOT SPLIT, SINCE\n1 +3.0 GiB +" + WHOLE + "\n")
        .containsPattern("1970-01-01T00:00:00Z +2 +transfer +n2 +n1 +completed +" + REASON);
  }

  @Test
  void theJsonHasNumbersWithoutUnits() {
    assertThat(run("--json").out().replaceAll("\\s+", " "))
        .contains("\"policy\": \"alor\"")
        .contains(
            "\"device\": { \"writeBytesPerSecond\": 200000000, \"kvSpeed\": 67108864,"
                + " \"capacityBytes\": 201326592, \"syncNanos\": 1230000, \"slow\": true }")
        .contains("{ \"region\": 1, \"rowBytes\": 3221225472, \"reason\": \"" + WHOLE + "\" }")
        .contains("\"reason\": \"" + REASON + "\"");
  }
}
