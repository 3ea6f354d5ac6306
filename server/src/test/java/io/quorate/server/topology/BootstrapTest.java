package io.quorate.server.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterConfig;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BootstrapTest {
  private static ClusterConfig cluster(int nodes, int regions, int replicas, Key... splits) {
    List<ClusterNode> addresses =
        IntStream.rangeClosed(1, nodes)
            .mapToObj(i -> new ClusterNode(new NodeId("n" + i), "h" + i, 1, 2, 3))
            .toList();
    return new ClusterConfig(new ClusterId("c"), addresses, regions, List.of(splits), replicas);
  }

  @ParameterizedTest
  @CsvSource({"1,1,3", "3,1,3", "3,8,3", "5,10,3", "7,21,5", "9,4096,3"})
  void replicasAndLeadersAreSpreadEvenly(int nodes, int regions, int replicas) {
    RegionTable table = Bootstrap.regions(cluster(nodes, regions, replicas));

    assertThat(table.regions()).hasSize(regions);
    Map<NodeId, Long> held =
        table.regions().stream()
            .flatMap(region -> region.replicas().stream())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    Map<NodeId, Long> led =
        table.regions().stream()
            .collect(
                Collectors.groupingBy(RegionAssignment::preferredLeader, Collectors.counting()));
    assertThat(spread(held)).isLessThanOrEqualTo(replicas);
    assertThat(spread(led)).isLessThanOrEqualTo(1);
    assertThat(table.regions())
        .allSatisfy(region -> assertThat(region.epoch()).isEqualTo(RegionEpoch.FIRST))
        .allSatisfy(region -> assertThat(region.replicas()).hasSize(Math.min(nodes, replicas)));
  }

  private static long spread(Map<NodeId, Long> counts) {
    return counts.values().stream().max(Long::compare).orElseThrow()
        - counts.values().stream().min(Long::compare).orElseThrow();
  }

  @Test
  void explicitSplitKeysAreKept() {
    RegionTable table = Bootstrap.regions(cluster(3, 3, 3, Key.utf8("g"), Key.utf8("p")));

    assertThat(table.byKey(Key.utf8("a")).id().value()).isEqualTo(1);
    assertThat(table.byKey(Key.utf8("g")).id().value()).isEqualTo(2);
    assertThat(table.byKey(Key.utf8("ozzz")).id().value()).isEqualTo(2);
    assertThat(table.byKey(Key.utf8("p")).id().value()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 256, 257, 4096})
  void evenSplitsAscend(int regions) {
    List<Key> splits = Bootstrap.evenSplits(regions);

    assertThat(splits).hasSize(regions - 1).doesNotHaveDuplicates().isSorted();
    assertThat(splits).noneMatch(Key::isEmpty);
  }

  @Test
  void twoRegionsAreSplitInTheMiddle() {
    assertThat(Bootstrap.evenSplits(2)).containsExactly(Key.wrap(new byte[] {(byte) 0x80}));
  }

  @Test
  void metadataIsOnAtMostFiveNodes() {
    assertThat(Bootstrap.metadata(cluster(1, 1, 1)).replicas()).hasSize(1);
    assertThat(Bootstrap.metadata(cluster(9, 1, 3)).replicas()).hasSize(5);
  }
}
