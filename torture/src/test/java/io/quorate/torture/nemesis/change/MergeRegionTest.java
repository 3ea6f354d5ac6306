package io.quorate.torture.nemesis.change;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MergeRegionTest {
  @Test
  void onlyARegionOnTheSameNodesAsTheOneBeforeItIsMerged() {
    RegionDescriptor first = region(1, "", "d", "n1", "n2", "n3");
    RegionDescriptor elsewhere = region(7, "d", "h", "n1", "n2", "n4");
    RegionDescriptor back = region(5, "h", "m", "n1", "n2", "n3");
    RegionDescriptor together = region(9, "m", "q", "n3", "n1", "n2");

    assertThat(MergeRegion.possible(List.of(first, elsewhere, back, together)))
        .containsExactly(together);
    assertThat(MergeRegion.possible(List.of(first))).isEmpty();
    assertThat(MergeRegion.possible(List.of())).isEmpty();
  }

  private static RegionDescriptor region(int id, String start, String end, String... replicas) {
    return new RegionDescriptor(
        new GroupId(id),
        RegionEpoch.FIRST,
        KeyRange.of(Key.wrap(start.getBytes(UTF_8)), Key.wrap(end.getBytes(UTF_8))),
        Stream.of(replicas).map(NodeId::new).toList(),
        Optional.empty());
  }
}
