package io.quorate.server.localcluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateMap;
import io.quorate.client.Codec;
import io.quorate.client.IndeterminateException;
import io.quorate.client.MapPage;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateMap;
import io.quorate.client.RefusedException;
import io.quorate.model.KeyRange;
import io.quorate.testing.EmbeddedCluster;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Maps over the calls of a client to a cluster. */
@Timeout(120)
class EmbeddedMapTest {
  private static final Codec<UUID> UUIDS =
      Codec.of(
          id -> Codec.utf8().encode(id.toString()),
          bytes -> UUID.fromString(Codec.utf8().decode(bytes)));

  private static EmbeddedCluster cluster;
  private static QuorateClient client;

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.start(1);
    client = QuorateClient.connect(cluster.options());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  @Test
  void keysAndValuesAreObjects() {
    QuorateMap<Long, UUID> ids = client.namespace("ids/").map(Codec.longs(), UUIDS);
    UUID first = new UUID(1, 2);
    UUID second = new UUID(3, 4);
    assertThat(ids.putIfAbsent(7L, first).swapped()).isTrue();
    assertThat(ids.putIfAbsent(7L, second).current()).contains(first);
    assertThat(ids.compareAndSet(7L, first, second).swapped()).isTrue();
    assertThat(ids.getAndPut(7L, first)).contains(second);
    assertThat(ids.compareAndDelete(7L, second).current()).contains(first);
    assertThat(ids.compareAndDelete(7L, first).swapped()).isTrue();
    assertThat(ids.containsKey(7L)).isFalse();
    AsyncQuorateMap<Long, UUID> async = client.async().namespace("ids/").map(Codec.longs(), UUIDS);
    async.put(8L, first).join();
    assertThat(async.get(8L).join()).contains(first);
    assertThat(async.scan(KeyRange.ALL, 9).join()).containsExactly(Map.entry(8L, first));
  }

  @Test
  void numbersOfOtherCallsAreDecimal() {
    QuorateMap<String, Long> counts =
        client.namespace("counts/").map(Codec.utf8(), Codec.decimal());
    client.increment("counts/a", 41);
    assertThat(client.incrementAndGet("counts/a", 1)).isEqualTo(42);
    assertThat(counts.get("a")).contains(42L);
    counts.put("a", -1L);
    assertThat(client.incrementAndGet("counts/a", 2)).isEqualTo(1);
  }

  @Test
  void pagesGoOnBeyondASplit() {
    QuorateMap<Long, String> rows = client.namespace("rows/").map(Codec.longs(), Codec.utf8());
    for (long number = -3; number < 4; number++) {
      rows.put(number, "of " + number);
    }
    byte[] zero = rows.keyOf(0L).bytes();
    client.splitRegion(ByteBuffer.allocate(13).put("rows/".getBytes(UTF_8)).put(zero).array());
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> client.status().regions().size() == EmbeddedCluster.REGIONS + 1);
    KeyRange range = KeyRange.of(rows.keyOf(-2L), rows.keyOf(3L));
    List<Long> found = new ArrayList<>();
    Optional<KeyRange> rest = Optional.of(range);
    while (rest.isPresent()) {
      MapPage<Long, String> page = rows.scanPage(rest.get(), 2);
      page.entries().forEach(entry -> found.add(entry.getKey()));
      rest = page.continueAt().map(range::startingAt);
    }
    assertThat(found).containsExactly(-2L, -1L, 0L, 1L, 2L);
    assertThat(rows.scanReverse(KeyRange.ALL)).extracting(Map.Entry::getKey).startsWith(3L, 2L);
  }

  @Test
  void aValueThatIsNotDecodedNamesItsKey() {
    client.put("broken/1", "no id");
    QuorateMap<String, UUID> ids = client.namespace("broken/").map(Codec.utf8(), UUIDS);
    assertThatThrownBy(() -> ids.get("1"))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith("The value of key \"1\" could not be decoded: ")
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ids.getAndPut("1", new UUID(1, 2)))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageStartingWith("The write has taken effect");
    assertThat(ids.get("1")).contains(new UUID(1, 2));
  }
}
