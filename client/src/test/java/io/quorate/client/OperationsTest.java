package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.options;
import static io.quorate.client.ClientFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OperationsTest {
  private FakeCluster cluster;
  private QuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "g", "p");
    cluster.setLeader(2, "n2");
    cluster.setLeader(3, "n3");
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  @Test
  void putGetDelete() {
    client.put("a", "1");
    assertThat(client.get("a")).contains("1");
    client.delete("a");
    assertThat(client.get("a")).isEmpty();
    client.put(bytes("empty"), new byte[0]);
    assertThat(client.get(bytes("empty"))).hasValueSatisfying(v -> assertThat(v).isEmpty());
  }

  @Test
  void everyRegionIsServedByItsLeader() {
    client.put("a", "1");
    client.put("h", "2");
    client.put("z", "3");
    for (int node = 1; node <= 3; node++) {
      assertThat(cluster.node(node).count(Opcode.WRITE)).isEqualTo(1);
    }
    assertThat(List.of(client.get("a"), client.get("h"), client.get("z")))
        .containsExactly(Optional.of("1"), Optional.of("2"), Optional.of("3"));
  }

  @Test
  void aWriteReturnsAPositionThatAReadCanRequire() {
    Position first = client.put("a", "1");
    Position second = client.put("a", "2");
    assertThat(second).isGreaterThan(first);
    assertThat(text(client.get(bytes("a"), new Guarantee.AtLeast(second)))).contains("2");
    assertThat(text(client.get(bytes("a"), Guarantee.LOCAL))).contains("2");
  }

  @Test
  void compareAndSet() {
    byte[] key = bytes("k");
    assertThat(client.putIfAbsent(key, bytes("1")).swapped()).isTrue();
    CompareAndSetResult<byte[]> refused = client.putIfAbsent(key, bytes("2"));
    assertThat(refused.swapped()).isFalse();
    assertThat(text(refused.current())).contains("1");
    assertThat(client.compareAndDelete(key, bytes("1")).swapped()).isTrue();
    assertThat(client.get("k")).isEmpty();
  }

  @Test
  void numbersAndAppends() {
    assertThat(client.incrementAndGet("n", 5)).isEqualTo(5);
    client.increment(bytes("n"), -7);
    assertThat(client.get("n")).contains("-2");
    client.append(bytes("s"), bytes("ab"));
    client.append(bytes("s"), bytes("cd"));
    assertThat(client.get("s")).contains("abcd");
    assertThat(text(client.getAndPut(bytes("s"), bytes("x")))).contains("abcd");
    assertThat(client.getAndPut(bytes("new"), bytes("x"))).isEmpty();
  }

  @Test
  void plainValuesAreComparedAndSet() {
    assertThat(client.putIfAbsent("k", "1")).isTrue();
    assertThat(client.putIfAbsent("k", "2")).isFalse();
    assertThat(client.compareAndSet("k", "2", "3")).isFalse();
    assertThat(client.compareAndSet(bytes("k"), bytes("1"), bytes("3")).swapped()).isTrue();
    assertThat(client.get("k")).contains("3");
    assertThat(client.putIfAbsent(bytes("k"), bytes("4")))
        .hasToString("not swapped; the value is 3");
    assertThat(client.compareAndDelete("k", "4")).isFalse();
    assertThat(client.compareAndDelete("k", "3")).isTrue();
    assertThat(client.compareAndDelete(bytes("k"), bytes("3")))
        .hasToString("not swapped; there is no value");
  }

  @Test
  void theLimitsOfABatchAreThoseOfNodesByDefault() {
    assertThat(Batch.CHANGES_MAX).isEqualTo(Limits.DEFAULT.batchOperations());
    assertThat(Batch.BYTES_MAX).isEqualTo(Limits.DEFAULT.batchBytes());
  }

  @Test
  void aKeyMayBeTextAndItsValueBytes() {
    byte[] value = {(byte) 0xff, 0};
    client.put("bytes", value);
    assertThat(client.getBytes("bytes")).contains(value);
    assertThat(client.getBytes("none")).isEmpty();
    client.batch(new Batch().put("bytes", new byte[] {1}));
    assertThat(client.getBytes("bytes")).contains(new byte[] {1});
  }

  /** The keys lie in two regions; what a page begins with may come from anywhere. */
  @Test
  void pagesFollowOneAnotherInBothOrders() {
    List<String> keys = List.of("fz", "g", "g1", "g2", "z");
    keys.forEach(key -> client.put(key, "of " + key));
    KeyRange range = KeyRange.of("g", "zz");
    List<String> found = new ArrayList<>();
    List<String> reverse = new ArrayList<>();
    Optional<KeyRange> rest = Optional.of(range);
    while (rest.isPresent()) {
      ScanResult page = client.scanPage(rest.get(), 2);
      page.rows().forEach(row -> found.add(row.keyText()));
      rest = page.continueAt().map(range::startingAt);
    }
    assertThat(found).containsExactly("g", "g1", "g2", "z");
    rest = Optional.of(range);
    while (rest.isPresent()) {
      ScanResult page = client.scanPageReverse(rest.get(), 2);
      page.rows().forEach(row -> reverse.add(row.keyText()));
      rest = page.continueAt().map(range::endingBefore);
    }
    assertThat(reverse).containsExactly("z", "g2", "g1", "g");
    assertThat(client.scan(range.startingAt(Key.utf8("a")), 9)).hasSize(4);
    assertThat(client.scanPrefix("g", 2)).extracting(KeyValue::keyText).containsExactly("g", "g1");
  }

  /** The keys lie in two regions. */
  @Test
  void aPrefixScanReturnsAllKeysWithThePrefixAndNoOther() {
    for (String key : List.of("fz", "g", "g1", "g2", "h")) {
      client.put(key, "of " + key);
    }
    assertThat(client.scanPrefix("g"))
        .extracting(KeyValue::keyText)
        .containsExactly("g", "g1", "g2");
    assertThat(client.scanPrefix("")).hasSize(5);
    assertThat(client.scanPrefix("none")).isEmpty();
    assertThat(client.scan(KeyRange.of("fz", "g1")))
        .extracting(KeyValue::keyText)
        .containsExactly("fz", "g");
    assertThat(client.async().scanPrefix("g", 2).join())
        .extracting(KeyValue::keyText)
        .containsExactly("g", "g1");
    assertThat(client.async().scanPrefix("g", 9).join()).hasSize(3);
  }

  @Test
  void asynchronousCallsEncodeTextAsUtf8() {
    AsyncQuorateClient async = client.async();
    async.put("\u00f1", "\u00fc").join();
    assertThat(async.get("\u00f1").join()).contains("\u00fc");
    async.append("\u00f1", "!").join();
    assertThat(async.getAndPut("\u00f1", "x").join()).contains("\u00fc!");
    assertThat(async.putIfAbsent("\u00f1", "y").join()).isFalse();
    assertThat(async.compareAndSet("\u00f1", "x", "y").join()).isTrue();
    async.delete("\u00f1").join();
    async.increment("n", 3).join();
    assertThat(async.incrementAndGet("n", 4).join()).isEqualTo(7);
    client.append("s", "a");
    client.increment("n", 1);
    assertThat(client.getAndPut("s", "b")).contains("a");
    assertThat(client.get("n")).contains("8");
  }

  @Test
  void anIncrementOfAValueThatIsNotANumberIsRefused() {
    client.put("s", "text");
    assertThatThrownBy(() -> client.incrementAndGet("s", 1))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("not a number");
    assertThat(client.get("s")).contains("text");
  }

  @Test
  void aSplitIncrementIsAWriteAndARead() {
    assertThat(client.incrementAndGet(bytes("n"), 5, true)).isEqualTo(5);
    assertThat(client.incrementAndGet(bytes("n"), -7, true)).isEqualTo(-2);
    assertThat(cluster.node(2).count(Opcode.WRITE)).isEqualTo(2);
    assertThat(cluster.node(2).count(Opcode.GET)).isEqualTo(2);
    assertThat(client.incrementAndGet(bytes("n"), 1, false)).isEqualTo(-1);
    assertThat(cluster.node(2).count(Opcode.GET)).isEqualTo(2);
  }

  /** A retry of the call would add again, so it does not fail as a read does. */
  @Test
  void aSplitIncrementWhoseReadFailsIsIndeterminate() {
    cluster.node(2).always(Opcode.GET, Reaction.refuse(Status.INVALID));
    assertThatThrownBy(() -> client.incrementAndGet(bytes("n"), 5, true))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("The increment is done")
        .hasCauseInstanceOf(InvalidRequestException.class);
    assertThat(cluster.value("n")).contains("5");
    cluster.node(2).serveNormally();
    client.put("s", "text");
    assertThatThrownBy(() -> client.incrementAndGet(bytes("s"), 5, true))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("not a number");
  }

  @Test
  void aSplitIncrementWhoseWriteFailsReadsNothing() {
    cluster.node(2).always(Opcode.WRITE, Reaction.refuse(Status.INVALID));
    assertThatThrownBy(() -> client.incrementAndGet(bytes("n"), 5, true))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(cluster.node(2).count(Opcode.GET)).isZero();
  }

  @Test
  void aBatchTakesEffectTogether() {
    client.put("a", "old");
    client.batch(
        new Batch()
            .delete("a")
            .put("b", "1")
            .append(bytes("b"), bytes("2"))
            .increment(bytes("c"), 3));
    assertThat(client.get("a")).isEmpty();
    assertThat(client.get("b")).contains("12");
    assertThat(client.get("c")).contains("3");
    assertThat(cluster.node(1).count(Opcode.WRITE)).isEqualTo(2);
  }

  @Test
  void aBatchAcrossRegionsIsRejectedBeforeItIsSent() {
    assertThatThrownBy(() -> client.batch(new Batch().put("a", "1").put("b", "1").put("h", "2")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage(
            "A batch changes keys of one region, but \"a\" is in region 1 and \"h\" is in region 2.");
    assertThat(cluster.nodes()).allSatisfy(n -> assertThat(n.count(Opcode.WRITE)).isZero());
  }

  @Test
  void invalidRequestsAreRejectedBeforeTheyAreSent() {
    byte[] longKey = new byte[(8 << 10) + 1];
    assertThatThrownBy(() -> client.put("", "v"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("at least 1 byte");
    assertThatThrownBy(() -> client.put(longKey, bytes("v")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("at most 8192 bytes");
    assertThatThrownBy(() -> client.get("")).isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> client.get(longKey)).isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> client.batch(new Batch()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("empty");
    assertThatThrownBy(() -> client.scan(KeyRange.from(Key.utf8("a")), 0))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("at least 1 row");
    assertThat(cluster.node(1).count(Opcode.WRITE)).isZero();
  }

  @Test
  void scansCrossRegionsInKeyOrder() {
    List<String> keys = List.of("a", "b", "g", "h", "o", "p", "z");
    keys.forEach(key -> client.put(key, key + key));
    assertThat(client.scan(KeyRange.ALL, 100)).extracting(KeyValue::keyText).isEqualTo(keys);
    assertThat(client.scan(KeyRange.from(Key.utf8("b")), 3))
        .extracting(KeyValue::keyText)
        .containsExactly("b", "g", "h");
    assertThat(client.scan(KeyRange.of("b", "p")))
        .extracting(KeyValue::toString)
        .containsExactly("b=bb", "g=gg", "h=hh", "o=oo");
    assertThat(client.scan(KeyRange.of("b", "b"))).isEmpty();
    assertThat(client.scan(KeyRange.from(Key.utf8("zz")), 5)).isEmpty();
  }

  @Test
  void reverseScansCrossRegionsDownwards() {
    for (String key : List.of("a", "b", "g", "h", "o", "p", "z")) {
      client.put(key, key + key);
    }
    assertThat(client.scanReverse(KeyRange.ofPrefix("")))
        .extracting(KeyValue::keyText)
        .containsExactly("z", "p", "o", "h", "g", "b", "a");
    assertThat(client.scanReverse(KeyRange.of("b", "p")))
        .extracting(KeyValue::toString)
        .containsExactly("o=oo", "h=hh", "g=gg", "b=bb");
    assertThat(client.scanReverse(KeyRange.of("b", "b"))).isEmpty();
    assertThat(client.async().scanReverse(KeyRange.ofPrefix(""), 3).join())
        .extracting(KeyValue::keyText)
        .containsExactly("z", "p", "o");
    assertThat(client.async().scanReverse(KeyRange.ofPrefix("h"), 9).join()).hasSize(1);
    ScanResult page = client.scanPageReverse(KeyRange.of("a", "h"), 1);
    assertThat(page.rows()).extracting(KeyValue::keyText).containsExactly("g");
    assertThat(page.continueAt()).contains(Key.utf8("g"));
  }

  @Test
  void emptyRegionsAreSkipped() {
    client.put("z", "1");
    assertThat(client.scan(KeyRange.ALL, 1)).containsExactly(new KeyValue(bytes("z"), bytes("1")));
    ScanResult page = client.scanPage(KeyRange.ALL, 1);
    assertThat(page.rows()).hasSize(1);
    assertThat(page.continueAt()).isEmpty();
  }

  @Test
  void aLongScanIsReadInPages() {
    List<String> expected = new ArrayList<>();
    List<CompletableFuture<Position>> puts = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      String key = String.format("b%04d", i);
      expected.add(key);
      puts.add(client.async().put(bytes(key), bytes("v")));
    }
    puts.forEach(CompletableFuture::join);
    assertThat(client.scan(KeyRange.of("b", "c")))
        .extracting(KeyValue::keyText)
        .isEqualTo(expected);
    assertThat(cluster.node(1).count(Opcode.SCAN)).isEqualTo(3);
    assertThat(client.scan(KeyRange.from(Key.utf8("b")), 2200)).hasSize(2200);
    Collections.reverse(expected);
    assertThat(client.scanReverse(KeyRange.of("b", "c")))
        .extracting(KeyValue::keyText)
        .isEqualTo(expected);
    assertThat(cluster.node(1).count(Opcode.SCAN_REVERSE)).isEqualTo(3);
  }

  @Test
  void valuesOfMebibytesAreTransferred() {
    byte[] large = new byte[3 << 20];
    large[large.length - 1] = 7;
    client.put(bytes("large"), large);
    assertThat(client.get(bytes("large"))).hasValueSatisfying(v -> assertThat(v).isEqualTo(large));
  }
}
