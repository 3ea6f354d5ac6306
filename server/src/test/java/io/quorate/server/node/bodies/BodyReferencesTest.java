package io.quorate.server.node.bodies;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BodyReferencesTest {
  private static final long EPOCH = 3;

  /** More than two pages. */
  private static final int KEYS = 600;

  @TempDir Path directory;
  private Storage storage;
  private RegionStore region;
  private long index;

  @BeforeEach
  void open() throws IOException {
    storage =
        Storage.open(
            directory, StorageOptions.DEFAULT.toBuilder().bodies(true).build(), MetricsSink.NONE);
    region = storage.region(new GroupId(1), KeyRange.ALL, Keyspace.DATA);
    region.open();
    for (int i = 0; i < KEYS; i++) {
      apply(
          new Operation.PutBody(
              Key.utf8(key(i)), new BodyReference(EPOCH, i, 0, 100, ByteBuffer.allocate(4))));
    }
  }

  @AfterEach
  void close() {
    storage.close();
  }

  private static String key(int number) {
    return "k%03d".formatted(number);
  }

  private void apply(Operation operation) {
    region
        .committed(
            new CommittedBatch(
                new Position(EPOCH, ++index),
                List.of(new ClientCommand(RequestId.NONE, operation).encoded()),
                CommittedBatch.Results.UNWANTED))
        .toCompletableFuture()
        .join();
  }

  private void applied() {
    region.awaitReadable(new Position(EPOCH, index)).toCompletableFuture().join();
  }

  @Test
  void visitsEveryReference() throws InterruptedException {
    applied();
    List<Long> visited = new ArrayList<>();
    BodyReferences.Visited all =
        BodyReferences.visitAll(region, (key, body) -> visited.add(body.number()));
    assertThat(visited)
        .isEqualTo(IntStream.range(0, KEYS).mapToObj(number -> (long) number).toList());
    assertThat(all.references()).isEqualTo(KEYS);
  }

  /** The bodies that are visited if the region splits while the first page is. */
  private List<Long> visitedWithSplits(int... keys) throws InterruptedException {
    applied();
    List<Long> visited = new ArrayList<>();
    BodyReferences.visitAll(
        region,
        (key, body) -> {
          visited.add(body.number());
          if (visited.size() == 10) {
            for (int i = 0; i < keys.length; i++) {
              apply(new Operation.Split(Key.utf8(key(keys[i])), new GroupId(8 + i)));
            }
            applied();
          }
        });
    return visited;
  }

  /** The keys that leave are visited in part; those that stay, all of them. */
  @Test
  void aRegionMaySplitMeanwhile() throws InterruptedException {
    assertThat(visitedWithSplits(500, 300))
        .isEqualTo(IntStream.range(0, 300).mapToObj(number -> (long) number).toList());
  }

  /** What is left has gone. */
  @Test
  void aRegionMaySplitBeforeThePageThatIsBeingVisitedEnds() throws InterruptedException {
    assertThat(visitedWithSplits(100)).hasSizeBetween(100, 300);
  }
}
