package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Regions merge while a client has requests in flight. */
class MergeTest {
  private static final int CALLS = 1_500;
  private static final int KEYS = 40;

  private FakeCluster cluster;
  private FakeNode leader;
  private QuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "m");
    leader = cluster.node(1);
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  @Test
  void aWriteIsRepeatedUntilAnotherRegionHasItsKey() {
    leader.next(Opcode.WRITE, Reaction.refuse(Status.STALE_EPOCH));
    leader.next(Opcode.WRITE, Reaction.refuse(Status.STALE_EPOCH));
    leader.next(
        Opcode.WRITE,
        request -> {
          cluster.merge("m");
          request.serve();
        });
    client.put("z", "1");
    assertThat(cluster.region(1).get(Key.utf8("z"))).contains(bytes("1"));
    assertThat(sequences()).as("the number is above the floor").containsOnly(1L);
  }

  /** Begins a write to the right region, and raises the floor in the left one above it. */
  private CompletableFuture<Long> writeBelowTheFloorOfTheLeftRegion(List<FakeRequest> held) {
    leader.next(Opcode.WRITE, held::add);
    CompletableFuture<Long> write = client.async().incrementAndGet(bytes("z"), 1);
    client.put("a", "1");
    client.put("a", "2");
    assertThat(leader.writes().get(2).floor()).isEqualTo(3);
    return write;
  }

  @Test
  void aWriteThatWasOnlyRejectedReceivesANewNumberIfTheFloorIsAboveIt() {
    List<FakeRequest> held = new ArrayList<>();
    CompletableFuture<Long> write = writeBelowTheFloorOfTheLeftRegion(held);
    leader.run(
        () -> {
          cluster.merge("m");
          held.get(0).serve();
        });
    assertThat(write.join()).isEqualTo(1);
    assertThat(sequences()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(cluster.value("z")).contains("1");
  }

  @Test
  void aWriteThatWasExecutedBeforeTheMergeKeepsItsNumberAndHasItsResult() {
    List<FakeRequest> held = new ArrayList<>();
    CompletableFuture<Long> write = writeBelowTheFloorOfTheLeftRegion(held);
    leader.run(
        () -> {
          held.get(0).execute();
          cluster.merge("m");
          held.get(0).drop();
        });
    assertThat(write.join()).isEqualTo(1);
    assertThat(sequences()).startsWith(1L, 2L, 3L).doesNotContain(4L);
    assertThat(cluster.value("z")).contains("1");
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  @Test
  void aWriteInDoubtKeepsItsNumberAndIsIndeterminateIfTheFloorIsAboveIt() {
    List<FakeRequest> held = new ArrayList<>();
    CompletableFuture<Long> write = writeBelowTheFloorOfTheLeftRegion(held);
    leader.run(
        () -> {
          cluster.merge("m");
          held.get(0).drop();
        });
    assertThat(failure(write)).isInstanceOf(IndeterminateException.class);
    assertThat(sequences()).startsWith(1L, 2L, 3L).doesNotContain(4L);
    assertThat(cluster.value("z")).isEmpty();
  }

  @Test
  void aWriteWithANewNumberAwaitsCapacityOfTheWindow() {
    List<FakeRequest> held = new ArrayList<>();
    leader.next(Opcode.WRITE, held::add).next(Opcode.WRITE, held::add);
    CompletableFuture<Long> right = client.async().incrementAndGet(bytes("z"), 1);
    CompletableFuture<Position> left = client.async().put(bytes("a"), bytes("1"));
    List<CompletableFuture<Position>> later = new ArrayList<>();
    for (int i = 1; i < RequestId.WINDOW; i++) {
      later.add(client.async().put(bytes("b"), bytes("1")));
    }
    later.forEach(CompletableFuture::join);
    leader.run(
        () -> {
          cluster.merge("m");
          held.get(0).serve();
        });
    client.get("a");
    assertThat(right).isNotDone();
    leader.run(() -> held.get(1).respond(Status.OK, held.get(1).execute()));
    left.join();
    assertThat(right.join()).isEqualTo(1);
    assertThat(leader.writes().get(leader.writes().size() - 1).sequence())
        .isEqualTo(RequestId.WINDOW + 2);
  }

  private List<Long> sequences() {
    return leader.writes().stream().map(RequestId::sequence).toList();
  }

  @Test
  void manyWritesThatAreOnlyRejectedTakeEffectWhileRegionsMergeAndSplit() {
    long seed = System.nanoTime();
    Map<String, List<CompletableFuture<Long>>> sums =
        incrementWhileRegionsChange(
            seed,
            List.of(
                Reaction.refuse(Status.OVERLOADED),
                Reaction.refuse(Status.STALE_EPOCH),
                Reaction.refuse(Status.UNAVAILABLE)));
    sums.forEach(
        (key, calls) ->
            assertThat(calls.stream().map(CompletableFuture::join).sorted().toList())
                .as("seed %d, %s", seed, key)
                .containsExactlyElementsOf(
                    LongStream.rangeClosed(1, calls.size()).boxed().toList()));
  }

  @Test
  void manyWritesUnderFaultsTakeEffectAtMostOnceWhileRegionsMergeAndSplit() {
    long seed = System.nanoTime();
    Map<String, List<CompletableFuture<Long>>> sums =
        incrementWhileRegionsChange(
            seed,
            List.of(
                Reaction.drop(),
                Reaction.executeThenDrop(),
                Reaction.refuse(Status.UNAVAILABLE),
                Reaction.executeThenRefuse(Status.INDETERMINATE)));
    sums.forEach(
        (key, calls) -> {
          List<Long> results = new ArrayList<>();
          for (CompletableFuture<Long> call : calls) {
            call.handle((sum, failure) -> failure == null && results.add(sum)).join();
            if (call.isCompletedExceptionally()) {
              assertThat(failure(call)).isInstanceOf(IndeterminateException.class);
            }
          }
          long value = cluster.value(key).map(Long::parseLong).orElse(0L);
          assertThat(new TreeSet<>(results)).as("seed %d, %s", seed, key).hasSameSizeAs(results);
          assertThat(value)
              .as("seed %d, %s", seed, key)
              .isBetween((long) results.size(), (long) calls.size());
        });
  }

  /** Increments each of some keys many times, and returns the calls, all of which have ended. */
  private Map<String, List<CompletableFuture<Long>>> incrementWhileRegionsChange(
      long seed, List<Reaction> faults) {
    Random random = new Random(seed);
    TreeSet<String> starts = new TreeSet<>(List.of("m"));
    int[] merges = new int[1];
    for (FakeNode node : cluster.nodes()) {
      node.always(
          Opcode.WRITE,
          request -> {
            if (random.nextInt(100) < 10) {
              faults.get(random.nextInt(faults.size())).to(request);
            } else {
              request.serve();
            }
            if (random.nextInt(20) == 0) {
              String at = key(1 + random.nextInt(KEYS - 1));
              if (starts.remove(at)) {
                merges[0]++;
                cluster.merge(at);
              } else if (starts.size() < 8 && starts.add(at)) {
                cluster.split(at);
              } else {
                merges[0]++;
                cluster.merge(starts.pollFirst());
              }
            }
          });
    }
    ClientOptions options =
        options(cluster).deadline(Duration.ofMinutes(2)).inFlight(32, 1 << 20).build();
    Map<String, List<CompletableFuture<Long>>> sums = new TreeMap<>();
    try (AsyncQuorateClient limited = AsyncQuorateClient.open(options)) {
      for (int i = 0; i < CALLS; i++) {
        String key = key(random.nextInt(KEYS));
        sums.computeIfAbsent(key, any -> new ArrayList<>())
            .add(limited.incrementAndGet(bytes(key), 1));
      }
      sums.values()
          .forEach(
              calls ->
                  calls.forEach(call -> call.handle((sum, failure) -> Optional.empty()).join()));
    }
    assertThat(merges[0]).as("seed %d", seed).isGreaterThan(10);
    return sums;
  }

  private static String key(int number) {
    return String.format("k%02d", number);
  }
}
