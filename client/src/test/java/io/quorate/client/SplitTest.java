package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Regions split while a client has requests in flight. */
class SplitTest {
  private FakeCluster cluster;
  private FakeNode leader;
  private QuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3);
    leader = cluster.node(1);
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  private void split(String at) {
    leader.run(() -> cluster.split(at));
  }

  @Test
  void aWriteIsRepeatedAtTheRegionThatHasTheKeyNow() {
    client.put("z", "1");
    split("m");
    client.put("z", "2");
    client.put("a", "2");
    assertThat(cluster.region(2).get(Key.utf8("z"))).contains(bytes("2"));
    assertThat(leader.writes())
        .extracting(RequestId::sequence)
        .as("rejected once, and then routed by the new topology")
        .containsExactly(1L, 2L, 2L, 3L);
  }

  @Test
  void aWriteThatWasExecutedBeforeTheSplitHasItsResultInTheNewRegion() {
    leader.next(
        Opcode.WRITE,
        request -> {
          request.execute();
          cluster.split("m");
          request.drop();
        });
    assertThat(client.incrementAndGet("z", 1)).isEqualTo(1);
    assertThat(cluster.value("z")).contains("1");
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  /** The new region has the results of the old one, and must not forget those that are needed. */
  @Test
  void aNewWriteDoesNotRaiseTheFloorAboveAnOlderOneThatHasMoved() {
    List<FakeRequest> held = new ArrayList<>();
    leader.next(Opcode.WRITE, held::add);
    CompletableFuture<Position> first = client.async().put(bytes("z"), bytes("1"));
    client.put("y", "1");
    split("m");
    client.put("y", "2");
    client.put("x", "3");
    assertThat(leader.writes()).extracting(RequestId::floor).containsOnly(1L);
    leader.run(() -> held.get(0).serve());
    first.join();
    assertThat(cluster.value("z")).contains("1");
    client.put("x", "4");
    assertThat(leader.writes().get(leader.writes().size() - 1))
        .matches(last -> last.floor() == last.sequence(), "all older ones have ended");
  }

  @Test
  void aBatchAcrossTheSplitIsRejected() {
    Batch batch = new Batch().put(bytes("a"), bytes("1")).put(bytes("z"), bytes("1"));
    client.batch(batch);
    split("m");
    assertThatThrownBy(() -> client.batch(batch))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"z\" is in region 2");
  }

  @Test
  void scansContinueAcrossNewBoundaries() {
    for (char key = 'a'; key <= 'p'; key++) {
      client.put(String.valueOf(key), "1");
    }
    AsyncQuorateClient async = client.async();
    ScanResult first = async.scanPage(KeyRange.from(Key.utf8("a")), 3).join();
    split("e");
    split("j");
    assertThat(keys(first) + rest(first, false)).isEqualTo("abcdefghijklmnop");

    ScanResult last = async.scanPageReverse(KeyRange.from(Key.utf8("a")), 3).join();
    split("m");
    split("b");
    assertThat(keys(last) + rest(last, true)).isEqualTo("ponmlkjihgfedcba");
  }

  private String rest(ScanResult page, boolean isReverse) {
    StringBuilder keys = new StringBuilder();
    ScanResult next = page;
    while (next.continueAt().isPresent()) {
      Key bound = next.continueAt().get();
      next =
          isReverse
              ? client.async().scanPageReverse(KeyRange.of(Key.utf8("a"), bound), 3).join()
              : client.async().scanPage(KeyRange.from(bound), 3).join();
      keys.append(keys(next));
    }
    return keys.toString();
  }

  private static String keys(ScanResult page) {
    StringBuilder keys = new StringBuilder();
    page.rows().forEach(row -> keys.append(new String(row.key(), StandardCharsets.UTF_8)));
    return keys.toString();
  }

  @Test
  void manyWritesUnderFaultsAndSplitsTakeEffectOnceAndNoneIsIndeterminate() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Reaction> faults =
        List.of(
            Reaction.drop(),
            Reaction.executeThenDrop(),
            Reaction.refuse(Status.OVERLOADED),
            Reaction.refuse(Status.UNAVAILABLE),
            Reaction.executeThenRefuse(Status.INDETERMINATE));
    List<String> splits = new ArrayList<>();
    for (FakeNode node : cluster.nodes()) {
      node.always(
          Opcode.WRITE,
          request -> {
            if (random.nextInt(100) < 10) {
              faults.get(random.nextInt(faults.size())).to(request);
            } else {
              request.serve();
            }
            String at = key(random.nextInt(40));
            if (random.nextInt(40) == 0 && !splits.contains(at) && !at.equals(key(0))) {
              splits.add(at);
              cluster.split(at);
            }
          });
    }
    ClientOptions options =
        options(cluster).deadline(Duration.ofMinutes(2)).inFlight(32, 1 << 20).build();
    Map<String, List<CompletableFuture<Long>>> sums = new TreeMap<>();
    try (AsyncQuorateClient limited = AsyncQuorateClient.open(options)) {
      for (int i = 0; i < 1_500; i++) {
        String key = key(random.nextInt(40));
        sums.computeIfAbsent(key, any -> new ArrayList<>())
            .add(limited.incrementAndGet(bytes(key), 1));
      }
      sums.forEach(
          (key, calls) ->
              assertThat(calls.stream().map(CompletableFuture::join).sorted().toList())
                  .as("seed %d, %s", seed, key)
                  .containsExactlyElementsOf(
                      LongStream.rangeClosed(1, calls.size()).boxed().toList()));
    }
    assertThat(splits).as("seed %d", seed).hasSizeGreaterThan(5);
  }

  private static String key(int number) {
    return String.format("k%02d", number);
  }
}
