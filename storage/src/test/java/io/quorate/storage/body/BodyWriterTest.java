package io.quorate.storage.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.Budget;
import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BodyWriterTest {
  private static final BodyId BODY = new BodyId(new GroupId(1), 1, 1);

  @TempDir private Path directory;

  /**
   * The copy is in the log before the removal. Were it not counted, compaction could delete the
   * removal before it, and the body would be back after a restart.
   */
  @Test
  void aCopyOfABodyThatIsRemovedInTheSameGroupCounts() throws IOException {
    BodyIndex index = new BodyIndex();
    BodySegments segments = BodySegments.open(directory, 1_000, index, false);
    ByteBuffer content = ByteBuffer.wrap(new byte[100]);
    run(
        writer(segments, index),
        writer -> writer.write(BODY, List.of(content.duplicate()), content.remaining()));
    StoredBody stored = index.get(BODY).orElseThrow();
    run(
        writer(segments, index),
        writer -> {
          CompletableFuture<Void> moved = writer.move(BODY, stored, content.duplicate());
          return CompletableFuture.allOf(moved, writer.remove(BODY));
        });
    assertThat(index.get(BODY)).isEmpty();
    assertThat(index.deadRecords(BODY)).as("the body and its copy").isEqualTo(2);
    segments.close();
  }

  private static BodyWriter writer(BodySegments segments, BodyIndex index) {
    Budget pending = new Budget(10, 1_000);
    assertThat(pending.tryAcquire(100)).isTrue();
    return new BodyWriter(
        segments, index, pending, BodyStoreOptions.DEFAULT, garbage -> {}, failure -> {});
  }

  private interface Tasks {
    CompletableFuture<Void> queue(BodyWriter writer);
  }

  /** The tasks are queued before the writer runs, and so are one group. */
  private static void run(BodyWriter writer, Tasks tasks) {
    CompletableFuture<Void> done = tasks.queue(writer);
    writer.close();
    writer.run();
    done.join();
  }
}
