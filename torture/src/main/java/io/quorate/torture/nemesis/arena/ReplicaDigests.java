package io.quorate.torture.nemesis.arena;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionVerification;
import io.quorate.model.GroupId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Compares the replicas of all regions by digests. Blocks. */
final class ReplicaDigests {
  private static final long POLL_PAUSE_MILLIS = 200;

  private final AsyncQuorateClient client;

  ReplicaDigests(AsyncQuorateClient client) {
    this.client = client;
  }

  /**
   * Blocks until all replicas of every region have the same digest at one position. To be called
   * when all nodes serve. Digests are requested again where replicas have none, as after they were
   * replaced or restarted.
   *
   * @return a sentence if replicas differ, or have no digest within {@code timeout}
   */
  Optional<String> awaitEqual(Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    List<GroupId> regions = regions(client.status().join());
    while (true) {
      Map<GroupId, String> unequal = new TreeMap<>();
      regions.forEach(region -> unequal.put(region, "no digest was requested"));
      for (RegionVerification region : compared(regions, end)) {
        if (!region.differing().isEmpty()) {
          return Optional.of(
              "The replicas of region " + region.id() + " are not equal: " + region.text() + ".");
        }
        unequal.put(region.id(), region.text());
        if (region.isEqual()) {
          unequal.remove(region.id());
        }
      }
      // Without those that were merged.
      unequal.keySet().retainAll(regions(client.status().join()));
      if (unequal.isEmpty()) {
        return Optional.empty();
      }
      if (System.nanoTime() > end) {
        return Optional.of(
            "The replicas of regions were not compared within "
                + timeout.toSeconds()
                + " s: "
                + unequal.entrySet().stream()
                    .map(region -> "region " + region.getKey() + ": " + region.getValue())
                    .collect(Collectors.joining("; "))
                + ".");
      }
      regions = List.copyOf(unequal.keySet());
    }
  }

  private static List<GroupId> regions(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .map(NodeState::replicas)
        .flatMap(List::stream)
        .map(replica -> replica.region().id())
        .distinct()
        .sorted()
        .toList();
  }

  /** Without regions that do not serve at the moment. */
  private List<RegionVerification> compared(List<GroupId> regions, long endNanos)
      throws InterruptedException {
    List<RegionVerification> verifications = new ArrayList<>();
    for (GroupId region : regions) {
      request(region).ifPresent(verifications::add);
    }
    while (verifications.stream().anyMatch(region -> !region.isOver())
        && System.nanoTime() < endNanos) {
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
      ClusterStatus status = client.status().join();
      verifications.forEach(region -> region.observe(status));
    }
    return verifications;
  }

  private Optional<RegionVerification> request(GroupId region) {
    try {
      return Optional.of(new RegionVerification(region, client.regions().verify(region).join()));
    } catch (CompletionException e) {
      return Optional.empty();
    }
  }
}
