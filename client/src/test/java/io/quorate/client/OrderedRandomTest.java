package io.quorate.client;

import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.common.Failures;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Numbered appends to some keys while requests and responses are lost, refused, or executed late,
 * and leaders change: each key has its numbers in their order, with all that succeeded and none of
 * those that had no effect.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OrderedRandomTest {
  private static final int WRITES = 250;

  /** One in two regions, so that a batch is in one. */
  private static final List<List<String>> KEYS =
      List.of(List.of("a", "b", "c"), List.of("x", "y", "z"));

  private record Written(int number, List<String> keys, CompletableFuture<?> call) {
    Optional<QuorateException> failure() {
      return call.handle((value, failure) -> Optional.ofNullable((QuorateException) cause(failure)))
          .join();
    }

    private static Throwable cause(Throwable failure) {
      return failure == null ? null : Failures.unwrap(failure);
    }
  }

  /** Requests that are executed when others arrive later, if at all. */
  private final List<FakeRequest> late = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 0})
  void eachKeyKeepsItsOrder(long given) {
    long seed = given == 0 ? System.nanoTime() : given;
    System.out.println("Seed of the writes: " + seed);
    Random random = new Random(seed);
    try (FakeCluster cluster = FakeCluster.start(3, "m");
        AsyncQuorateClient client =
            AsyncQuorateClient.open(
                options(cluster)
                    .attemptTimeout(Duration.ofMillis(25))
                    .connectionsPerNode(2)
                    .build())) {
      client.ready().join();
      Random ofNodes = new Random(seed + 1);
      cluster.nodes().forEach(node -> node.always(Opcode.WRITE, at -> react(at, ofNodes)));
      List<Written> writes = write(client.ordered(), cluster, random);
      writes.forEach(Written::failure);
      cluster.nodes().forEach(FakeNode::serveNormally);
      for (List<String> ofRegion : KEYS) {
        for (String key : ofRegion) {
          client.ordered().append(key, WRITES + " ").join();
          check(key, writes, cluster.value(key).orElse(""), seed);
        }
      }
    }
  }

  private synchronized void react(FakeRequest request, Random random) {
    while (!late.isEmpty() && random.nextInt(10) == 0) {
      late.remove(random.nextInt(late.size())).execute();
    }
    switch (random.nextInt(16)) {
      case 0 -> Reaction.swallow().to(request);
      case 1 -> Reaction.executeThenSwallow().to(request);
      case 2 -> Reaction.executeThenDrop().to(request);
      case 3 -> Reaction.drop().to(request);
      case 4 -> Reaction.refuse(Status.OVERLOADED).to(request);
      case 5 -> Reaction.executeThenRefuse(Status.INDETERMINATE).to(request);
      case 6, 7 -> late.add(request);
      default -> request.serve();
    }
  }

  private static List<Written> write(
      AsyncQuorateClient client, FakeCluster cluster, Random random) {
    List<Written> writes = new ArrayList<>();
    for (int number = 0; number < WRITES; number++) {
      List<String> region = KEYS.get(random.nextInt(KEYS.size()));
      List<String> keys =
          random.nextInt(5) == 0
              ? region.subList(random.nextInt(2), 3)
              : List.of(region.get(random.nextInt(3)));
      AsyncQuorateClient view =
          client.withDeadline(Duration.ofMillis(random.nextInt(4) == 0 ? 200 : 20_000));
      String text = number + " ";
      Batch batch = new Batch();
      keys.forEach(key -> batch.append(key, text));
      CompletableFuture<?> call =
          keys.size() > 1 ? view.batch(batch) : view.append(keys.get(0), text);
      writes.add(new Written(number, keys, call));
      if (random.nextInt(20) == 0) {
        cluster.setLeader(1 + random.nextInt(2), "n" + (1 + random.nextInt(3)));
      }
      if (random.nextInt(8) == 0) {
        writes.get(random.nextInt(writes.size())).failure();
      }
    }
    return writes;
  }

  private static void check(String key, List<Written> writes, String value, long seed) {
    List<Integer> found =
        Arrays.stream(value.split(" "))
            .filter(text -> !text.isEmpty())
            .map(Integer::valueOf)
            .toList();
    assertThat(found).as("key %s, seed %d", key, seed).isSorted().doesNotHaveDuplicates();
    for (Written write : writes) {
      Optional<QuorateException> failure = write.failure();
      if (write.keys().contains(key) && failure.isEmpty()) {
        assertThat(found).as("key %s, seed %d", key, seed).contains(write.number());
      } else if (failure.filter(cause -> !cause.mayHaveTakenEffect()).isPresent()) {
        assertThat(found).as("key %s, seed %d", key, seed).doesNotContain(write.number());
      }
    }
  }
}
