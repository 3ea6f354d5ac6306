package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaderTransfersTest {
  private static final GroupId REGION = new GroupId(1);
  private static final StoredTopology TOPOLOGY =
      new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).topology();
  private static final Transfer TRANSFER =
      new Transfer(REGION, node(1), node(2), "its device is faster");

  private final List<CompletableFuture<Void>> requests = new ArrayList<>();
  private final DecisionLog decisions = new DecisionLog(Policy.ALOR);
  private long now = TimeUnit.HOURS.toNanos(-1);
  private final LeaderTransfers transfers =
      new LeaderTransfers(
          (region, to) -> {
            requests.add(new CompletableFuture<>());
            return requests.get(requests.size() - 1);
          },
          decisions,
          () -> now);

  private boolean isBusy() {
    return transfers.busy(Pictures.led(TOPOLOGY)).contains(REGION);
  }

  @Test
  void oneTransferOfARegionIsUnderWayAtATime() {
    transfers.start(TRANSFER);
    transfers.start(TRANSFER);
    assertThat(requests).hasSize(1);
    assertThat(transfers.underWay()).isOne();
    now += TimeUnit.HOURS.toNanos(1);
    assertThat(isBusy()).isTrue();
  }

  @Test
  void aLeaderStaysForAWhileUnlessItsDeviceBecomesSlow() {
    transfers.start(TRANSFER);
    requests.get(0).complete(null);
    now += TimeUnit.SECONDS.toNanos(9);
    assertThat(isBusy()).isTrue();
    NodeDevice slow = new NodeDevice(1, Long.MAX_VALUE, true);
    assertThat(
            transfers.busy(Pictures.measured(TOPOLOGY, Map.of(node(1), slow), Map.of(), Map.of())))
        .isEmpty();
    now += TimeUnit.SECONDS.toNanos(2);
    assertThat(isBusy()).isFalse();
  }

  @Test
  void aFailedTransferIsAttemptedAgainSoon() {
    transfers.start(TRANSFER);
    requests.get(0).completeExceptionally(new IllegalStateException("The replica lags."));
    assertThat(isBusy()).isTrue();
    now += TimeUnit.SECONDS.toNanos(2);
    assertThat(isBusy()).isFalse();
    transfers.start(TRANSFER);
    requests.get(1).complete(null);
    decisions.active(true);
    assertThat(decisions.report().orElseThrow().getDecisionsList())
        .extracting(decision -> decision.getKind() + ", " + decision.getOutcome())
        .containsExactly("transfer, completed", "transfer, failed: The replica lags.");
  }

  /** As to a replica that does not follow its leader. */
  @Test
  void aTransferThatFailsAgainAndAgainIsAttemptedEachMinute() {
    for (int i = 0; i < 20; i++) {
      transfers.start(TRANSFER);
      requests.get(i).completeExceptionally(new IllegalStateException("The replica lags."));
      now += TimeUnit.SECONDS.toNanos(Math.min(60, 1L << i)) - 1;
      assertThat(isBusy()).as("after %s failures", i + 1).isTrue();
      now += 1;
      assertThat(isBusy()).as("after %s failures", i + 1).isFalse();
    }
  }

  @Test
  void onlyTheNodeThatPlacesReportsDecisionsAndOnlyTheLast() {
    assertThat(decisions.report()).isEmpty();
    for (int i = 0; i < 120; i++) {
      transfers.start(TRANSFER);
      requests.get(i).complete(null);
    }
    decisions.active(true);
    assertThat(decisions.report().orElseThrow().getDecisionsList()).hasSize(100);
  }
}
