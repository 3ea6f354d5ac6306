package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.quorate.client.fake.FakeCluster;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.Opcode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The keys lie in two regions. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MapTest {
  record Order(String item, int count) {}

  private static final Order TEA = new Order("tea", 2);
  private static final Order MILK = new Order("milk", 1);

  private final FakeCluster cluster = FakeCluster.start(3, "orders/2");
  private final QuorateClient client = QuorateClient.connect(options(cluster).build());
  private final QuorateMap<String, Order> orders =
      client.namespace("orders/").map(Codec.utf8(), Codec.json(Order.class));
  private final AsyncQuorateMap<String, Order> async =
      client.async().namespace("orders/").map(Codec.utf8(), Codec.json(Order.class));

  @AfterEach
  void close() {
    client.close();
    cluster.close();
  }

  @Test
  void aCodecThatIsInterruptedLeavesTheStatusToItsCaller() {
    Codec<String> interrupted =
        Codec.of(
            text -> {
              throw new InterruptedException("thrown by a test");
            },
            bytes -> "");
    QuorateMap<String, String> map = client.map(interrupted, Codec.utf8());
    assertThatThrownBy(() -> map.get("1")).isInstanceOf(InvalidRequestException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void valuesAreObjects() {
    assertThat(orders.put("1", TEA)).isNotNull();
    assertThat(client.get("orders/1")).contains("{\"count\":2,\"item\":\"tea\"}");
    assertThat(orders.get("1")).contains(TEA);
    assertThat(orders.get("2")).isEmpty();
    assertThat(orders.containsKey("1")).isTrue();
    assertThat(orders.containsKey("2")).isFalse();
    assertThat(orders.putIfAbsent("1", MILK))
        .isEqualTo(new CompareAndSetResult<>(false, Optional.of(TEA)))
        .hasToString("not swapped; the value is " + TEA);
    assertThat(orders.putIfAbsent("2", MILK).swapped()).isTrue();
    assertThat(orders.getAndPut("2", TEA)).contains(MILK);
    assertThat(orders.compareAndSet("2", MILK, TEA).current()).contains(TEA);
    assertThat(orders.compareAndSet("2", TEA, MILK).swapped()).isTrue();
    assertThat(orders.compareAndDelete("2", TEA).swapped()).isFalse();
    assertThat(orders.compareAndDelete("2", MILK).swapped()).isTrue();
    orders.delete("1");
    assertThat(client.scanPrefix("orders/")).isEmpty();
  }

  @Test
  void theAsynchronousMapDoesTheSame() {
    async.put("1", TEA).join();
    assertThat(async.get("1").join()).contains(TEA);
    assertThat(async.containsKey("1").join()).isTrue();
    assertThat(async.putIfAbsent("1", MILK).join().current()).contains(TEA);
    assertThat(async.getAndPut("1", MILK).join()).contains(TEA);
    assertThat(async.compareAndSet("1", MILK, TEA).join().swapped()).isTrue();
    assertThat(async.compareAndDelete("1", MILK).join().current()).contains(TEA);
    assertThat(async.scan(KeyRange.ALL, 9).join()).containsExactly(Map.entry("1", TEA));
    assertThat(async.scanReverse(KeyRange.ALL, 9).join()).containsExactly(Map.entry("1", TEA));
    assertThat(async.scanPage(KeyRange.ALL, 9).join().entries()).hasSize(1);
    assertThat(async.scanPageReverse(KeyRange.ALL, 9).join().entries()).hasSize(1);
    async.delete("1").join();
    assertThat(async.get("1").join()).isEmpty();
  }

  @Test
  void scansAreInTheOrderOfTheKeys() {
    client.put("orders0", "beyond the namespace");
    QuorateMap<Long, String> numbers = client.namespace("orders/").map(Codec.longs(), Codec.utf8());
    for (long number : List.of(5L, -7L, 1000L, 0L)) {
      numbers.put(number, "of " + number);
    }
    assertThat(numbers.scan(KeyRange.ALL))
        .extracting(Map.Entry::getKey)
        .containsExactly(-7L, 0L, 5L, 1000L);
    assertThat(numbers.scanReverse(KeyRange.from(numbers.keyOf(0L))))
        .extracting(Map.Entry::getValue)
        .containsExactly("of 1000", "of 5", "of 0");
    KeyRange range = KeyRange.of(numbers.keyOf(-7L), numbers.keyOf(1000L));
    assertThat(numbers.scan(range, 2)).extracting(Map.Entry::getKey).containsExactly(-7L, 0L);
    assertThat(numbers.scanReverse(range, 1)).extracting(Map.Entry::getKey).containsExactly(5L);
    List<Long> found = new ArrayList<>();
    Optional<KeyRange> rest = Optional.of(range);
    while (rest.isPresent()) {
      MapPage<Long, String> page = numbers.scanPage(rest.get(), 1);
      page.entries().forEach(entry -> found.add(entry.getKey()));
      rest = page.continueAt().map(range::startingAt);
    }
    assertThat(found).containsExactly(-7L, 0L, 5L);
    assertThat(numbers.scanPageReverse(range, 2).entries())
        .extracting(Map.Entry::getKey)
        .containsExactly(5L, 0L);
  }

  @Test
  void aValueThatIsNotDecodedNamesItsKey() {
    client.put("orders/1", "text");
    client.put("orders/2", "{\"item\":\"tea\",\"count\":2}");
    List<Throwable> failures =
        List.of(
            catchThrowable(() -> orders.get("1")),
            catchThrowable(() -> orders.putIfAbsent("1", TEA)),
            catchThrowable(() -> orders.compareAndSet("1", TEA, MILK)),
            catchThrowable(() -> orders.scan(KeyRange.ALL, 9)),
            catchThrowable(() -> orders.scanPage(KeyRange.ALL, 9)),
            failure(async.get("1")),
            failure(async.putIfAbsent("1", TEA)),
            failure(async.compareAndSet("1", TEA, MILK)),
            failure(async.scan(KeyRange.ALL, 9)),
            failure(async.scanPage(KeyRange.ALL, 9)));
    assertThat(failures)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageStartingWith("The value of key \"1\" could not be decoded: ")
                    .hasMessageEndingWith(".")
                    .hasCauseInstanceOf(Exception.class));
    Iterator<Map.Entry<String, Order>> each = orders.scan(KeyRange.ALL).iterator();
    assertThatThrownBy(each::next).isInstanceOf(RefusedException.class);
    assertThat(each.next()).isEqualTo(Map.entry("2", TEA));
    assertThat(client.get("orders/1")).contains("text");
  }

  @Test
  void aWriteWhoseFormerValueIsNotDecodedSaysThatItHasTakenEffect() {
    client.put("orders/1", "text");
    assertThatThrownBy(() -> orders.getAndPut("1", TEA))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageStartingWith(
            "The write has taken effect, but the value that key \"1\" had before could not");
    client.put("orders/1", "text");
    assertThat(failure(async.getAndPut("1", MILK))).isInstanceOf(IndeterminateException.class);
    assertThat(orders.get("1")).contains(MILK);
  }

  @Test
  void aKeyThatIsNotDecodedIsNamed() {
    client.put("orders/seven", "of 7");
    QuorateMap<Long, String> numbers = client.namespace("orders/").map(Codec.longs(), Codec.utf8());
    assertThatThrownBy(() -> numbers.scan(KeyRange.ALL, 1))
        .isInstanceOf(RefusedException.class)
        .hasMessage(
            "The key \"seven\" could not be decoded: java.lang.IllegalArgumentException: 5 bytes"
                + " instead of 8.");
  }

  static List<Throwable> thrown() {
    return List.of(
        new StackOverflowError("thrown by a test"),
        new NoClassDefFoundError("thrown by a test"),
        new IOException("thrown by a test"),
        new IndeterminateException("thrown by a test"));
  }

  /** Whatever a codec throws, its call ends with that, and others are served. */
  @ParameterizedTest
  @MethodSource("thrown")
  void aCodecThatThrowsEndsItsCall(Throwable thrown) {
    Codec<String> failing = Codec.of(value -> sneaky(thrown), bytes -> sneaky(thrown));
    int writes = cluster.node(1).count(Opcode.WRITE);
    QuorateMap<String, String> badKeys = client.map(failing, Codec.utf8());
    QuorateMap<String, String> badValues = client.map(Codec.utf8(), failing);
    assertInvalid(catchThrowable(() -> badKeys.put("a", "1")), "key", thrown);
    assertInvalid(catchThrowable(() -> badKeys.keyOf("a")), "key", thrown);
    assertInvalid(catchThrowable(() -> badValues.put("a", "1")), "value", thrown);
    assertInvalid(catchThrowable(() -> badValues.compareAndSet("a", "1", "2")), "expected", thrown);
    assertInvalid(failure(client.async().map(failing, failing).get("a")), "key", thrown);
    assertInvalid(
        failure(client.async().map(Codec.utf8(), failing).put("a", "1")), "value", thrown);
    assertThat(cluster.node(1).count(Opcode.WRITE)).isEqualTo(writes);
    client.put("a", "1");
    CompletableFuture<?> read = client.async().map(Codec.utf8(), failing).get("a");
    assertThat(failure(read)).isInstanceOf(RefusedException.class).hasCause(thrown);
    assertThatThrownBy(() -> badValues.get("a"))
        .isInstanceOf(RefusedException.class)
        .hasCause(thrown);
    assertThat(client.get("a")).contains("1");
  }

  private static void assertInvalid(Throwable failure, String what, Throwable thrown) {
    assertThat(failure)
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageStartingWith("The " + what + " could not be encoded: ")
        .hasMessageContaining("thrown by a test")
        .hasCause(thrown);
  }

  @SuppressWarnings("unchecked")
  private static <T, E extends Throwable> T sneaky(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @Test
  void aCodecThatReturnsNullEndsItsCall() {
    Codec<String> nothing = Codec.of(value -> null, bytes -> null);
    assertThatThrownBy(() -> client.map(nothing, nothing).put("a", "1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("what a codec returns must not be null");
    client.put("a", "1");
    assertThat(failure(client.async().map(Codec.utf8(), nothing).get("a")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("The value of key \"a\" could not be decoded");
  }
}
