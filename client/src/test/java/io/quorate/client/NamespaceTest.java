package io.quorate.client;

import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.fake.FakeCluster;
import io.quorate.model.KeyRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NamespaceTest {
  private final FakeCluster cluster = FakeCluster.start(3);
  private final QuorateClient client = QuorateClient.connect(options(cluster).build());
  private final QuorateClient orders = client.namespace("orders/");

  @BeforeEach
  void otherKeys() {
    client.put("order", "before");
    client.put("orders0", "after");
    client.put("orders/1", "one");
  }

  @AfterEach
  void close() {
    client.close();
    cluster.close();
  }

  private static List<String> keys(Iterable<KeyValue> rows) {
    List<String> keys = new ArrayList<>();
    rows.forEach(row -> keys.add(row.keyText()));
    return keys;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void keysAreThoseWithThePrefix() {
    assertThat(orders.get("1")).contains("one");
    assertThat(orders.get("orders/1")).isEmpty();
    orders.put("2", "two");
    assertThat(client.get("orders/2")).contains("two");
    assertThat(orders.incrementAndGet("count", 2)).isEqualTo(2);
    assertThat(client.get("orders/count")).contains("2");
    assertThat(orders.compareAndSet("1", "one", "uno")).isTrue();
    orders.delete("2");
    assertThat(client.get("orders/2")).isEmpty();
    assertThat(client.get("orders/1")).contains("uno");
    orders.batch(new Batch().put("3", "three").delete("1"));
    assertThat(keys(client.scanPrefix("orders/"))).containsExactly("orders/3", "orders/count");
  }

  @Test
  void scansSeeNothingBeyondThePrefix() {
    orders.put("2", "two");
    orders.put("21", "more");
    assertThat(keys(orders.scan(KeyRange.ALL, 100))).containsExactly("1", "2", "21");
    assertThat(keys(orders.scanPrefix("2"))).containsExactly("2", "21");
    assertThat(keys(orders.scanPrefix(""))).containsExactly("1", "2", "21");
    assertThat(keys(orders.scan(KeyRange.of("1", "21")))).containsExactly("1", "2");
    assertThat(keys(orders.scanReverse(KeyRange.ALL))).containsExactly("21", "2", "1");
    ScanResult page = orders.scanPage(KeyRange.ALL, 2);
    assertThat(keys(page.rows())).containsExactly("1", "2");
    assertThat(page.continueAt().map(key -> new String(key.bytes(), StandardCharsets.UTF_8)))
        .hasValueSatisfying(next -> assertThat(next).isBetween("2", "21"));
  }

  @Test
  void aViewOfAViewHasBothPrefixes() {
    QuorateClient tenant = orders.namespace("tenant/").namespace(bytes(""));
    tenant.put("1", "of the tenant");
    assertThat(client.get("orders/tenant/1")).contains("of the tenant");
    assertThat(keys(tenant.scan(KeyRange.ALL, 100))).containsExactly("1");
    assertThat(keys(orders.scan(KeyRange.ALL, 100))).containsExactly("1", "tenant/1");
  }

  @Test
  void theEmptyKeyIsThePrefixItself() {
    orders.put("", "all of them");
    assertThat(client.get("orders/")).contains("all of them");
    assertThat(orders.get("")).contains("all of them");
    assertThat(keys(orders.scan(KeyRange.ALL, 100))).containsExactly("", "1");
    assertThat(keys(orders.scanReverse(KeyRange.ALL))).containsExactly("1", "");
    QuorateMap<String, String> map = orders.map(Codec.utf8(), Codec.utf8());
    assertThat(map.get("")).contains("all of them");
    orders.delete("");
    assertThat(client.get("orders/")).isEmpty();
    assertThatThrownBy(() -> client.put("", "x")).isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void thePrefixIsCopied() {
    byte[] prefix = bytes("copied/");
    QuorateClient view = client.namespace(prefix);
    prefix[0] = 'x';
    view.put("1", "one");
    assertThat(client.get("copied/1")).contains("one");
  }
}
