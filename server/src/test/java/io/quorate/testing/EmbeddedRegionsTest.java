package io.quorate.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.Batch;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.model.KeyRange;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of applications meet batches over two regions. */
@Timeout(120)
class EmbeddedRegionsTest {
  private static final Batch ORDER = new Batch().put("order:1", "open").put("user:1", "ada");
  private static final Batch STOCK = new Batch().put("stock/bolt", "1").put("stock/nut", "1");

  @Test
  void textKeysOfTwoKindsAreInTwoRegionsUnlessThereIsOne() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1);
        QuorateClient client = QuorateClient.connect(cluster.options());
        EmbeddedCluster single = EmbeddedCluster.builder().regions(1).start();
        QuorateClient ofSingle = QuorateClient.connect(single.options())) {
      assertThatThrownBy(() -> client.batch(ORDER)).isInstanceOf(InvalidRequestException.class);
      assertThat(client.get("order:1")).isEmpty();
      client.batch(STOCK);
      client.put("account:1", "a");
      client.put("key", "k");
      client.put("visits", "1");
      assertThat(client.scan(KeyRange.of("a", "zz")))
          .extracting(KeyValue::keyText)
          .containsExactly("account:1", "key", "stock/bolt", "stock/nut", "visits");

      ofSingle.batch(ORDER);
    }
  }

  @Test
  void aRegionBeginsWithinAKindWhereTheTestWants() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().splitAt("stock/c").start();
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      assertThatThrownBy(() -> client.batch(STOCK)).isInstanceOf(InvalidRequestException.class);
      Batch before = new Batch().put("account:1", "a").put("order:1", "open");
      client.batch(before);
      cluster.splitAt("n");
      assertThatThrownBy(() -> client.batch(before)).isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void regionsBeginAtLetters() {
    assertThat(RegionStarts.evenly(1)).isEmpty();
    assertThat(RegionStarts.evenly(2)).containsExactly("n");
    assertThat(RegionStarts.evenly(EmbeddedCluster.REGIONS)).containsExactly("g", "n", "t");
    assertThat(RegionStarts.evenly(27)).startsWith("az", "by").hasSize(26);
  }

  @ParameterizedTest
  @ValueSource(ints = {26, 27, 676, 677, 4096})
  void eachRegionHasItsOwnStart(int regions) {
    List<String> starts = RegionStarts.evenly(regions);
    assertThat(starts).hasSize(regions - 1).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void anImpossibleNumberOfRegionsIsRefused() {
    EmbeddedCluster.Builder builder = EmbeddedCluster.builder();
    assertThatThrownBy(() -> builder.regions(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.regions(4097)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void argumentsThatCannotBeUsedAreRefusedWhereTheyAreGiven() {
    EmbeddedCluster.Builder builder = EmbeddedCluster.builder();
    assertThatThrownBy(() -> builder.splitAt("a", "\ud800"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.splitAt("a", null)).hasMessage("key must not be null");
    assertThatThrownBy(() -> builder.splitAt((String[]) null)).hasMessage("keys must not be null");
    assertThatThrownBy(() -> builder.preset(null)).hasMessage("preset must not be null");
    assertThatThrownBy(() -> EmbeddedCluster.of(null)).hasMessage("test must not be null");
  }
}
