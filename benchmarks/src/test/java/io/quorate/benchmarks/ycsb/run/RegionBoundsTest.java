package io.quorate.benchmarks.ycsb.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import site.ycsb.Utils;

class RegionBoundsTest {
  private static final WorkloadFile WORKLOAD =
      new WorkloadFile("a", Map.of("recordcount", "50000"));

  @Test
  void everyRegionHasAboutEquallyManyRecords() {
    List<String> bounds = bounds(WORKLOAD, 8);
    assertThat(bounds).hasSize(7).isSorted();

    int[] counts = new int[8];
    LongStream.range(0, 50_000)
        .mapToObj(i -> "usertable/user" + Utils.hash(i))
        .forEach(
            key ->
                counts[(int) bounds.stream().filter(bound -> bound.compareTo(key) <= 0).count()]++);
    assertThat(Arrays.stream(counts).boxed()).allMatch(count -> count > 5500 && count < 7000);
  }

  @Test
  void keysInOrderAreDividedByTheirPaddedNumbers() {
    WorkloadFile ordered =
        WORKLOAD.with(Map.of("insertorder", "ordered", "zeropadding", "8", "table", "t"));
    assertThat(bounds(ordered, 2)).containsExactly("t/user00025000");
  }

  @Test
  void oneRegionAndFewerRecordsThanRegionsNeedNoBounds() {
    assertThat(RegionBounds.splitKeys(WORKLOAD, 1)).isEmpty();
    assertThat(RegionBounds.splitKeys(WORKLOAD.with(Map.of("recordcount", "3")), 4)).isEmpty();
  }

  private static List<String> bounds(WorkloadFile workload, int regions) {
    String list = RegionBounds.splitKeys(workload, regions).orElseThrow();
    return Arrays.stream(list.replaceAll("[\\[\\]\" ]", "").split(","))
        .map(text -> HexFormat.of().parseHex(text.substring(2)))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .toList();
  }
}
