package io.quorate.ratis.log;

import static io.quorate.ratis.log.LogFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DamagedLogException;
import io.quorate.model.Position;
import io.quorate.replication.log.LogPoints;
import io.quorate.replication.log.SharedLogSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EntryLogTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir private Path directory;
  private LogFixture node;
  private EntryLog log;

  /** While it is not complete, nothing becomes durable. */
  private CompletableFuture<Void> disk = CompletableFuture.completedFuture(null);

  private final AtomicInteger syncs = new AtomicInteger();

  @BeforeEach
  void open() throws IOException {
    node = new LogFixture(directory);
    log = node.replica();
    log.states().setVote(RaftStorageMetadata.valueOf(9, null));
    LogPoints.BEFORE_SYNC.on(
        (point, subject) -> {
          syncs.incrementAndGet();
          disk.join();
        });
  }

  @AfterEach
  void close() throws IOException {
    disk.complete(null);
    node.close();
    LogPoints.BEFORE_SYNC.off();
  }

  private void restart() throws IOException {
    node.reopen();
    log = node.replica();
  }

  private CompletableFuture<Long> append(long term, long index) throws IOException {
    CompletableFuture<Long> durable = log.append(entry(term, index));
    log.flush();
    return durable;
  }

  @Test
  void anEntryIsThereAtOnceAndCountsWhenItIsDurable() throws IOException {
    disk = new CompletableFuture<>();
    CompletableFuture<Long> durable = append(1, 0);
    assertThat(log.lastIndex()).isZero();
    assertThat(log.entry(0)).contains(entry(1, 0));
    assertThat(log.termIndex(0)).contains(TermIndex.valueOf(1, 0));
    assertThat(log.flushIndex()).isEqualTo(-1);
    assertThat(log.durable(0)).isNotDone();
    disk.complete(null);
    assertThat(durable.join()).isZero();
    assertThat(log.durable(0)).isCompletedWithValue(0L);
    assertThat(log.flushIndex()).isZero();
  }

  @Test
  void entriesAreReadByTheNextProcess() throws IOException {
    append(1, 0);
    append(2, 1).join();
    restart();
    assertThat(log.lastIndex()).isEqualTo(1);
    assertThat(log.flushIndex()).isEqualTo(1);
    assertThat(log.entry(0)).contains(entry(1, 0));
    assertThat(log.entry(1)).contains(entry(2, 1));
    assertThat(log.entry(2)).isEmpty();
  }

  /** The entry that replaces another one is not durable because that one is. */
  @Test
  void removedEntriesDoNotCountAsDurable() throws IOException {
    append(1, 0).join();
    disk = new CompletableFuture<>();
    int before = syncs.get();
    CompletableFuture<Long> removed = append(1, 1);
    await().atMost(PATIENCE).until(() -> syncs.get() > before);
    append(1, 2);
    CompletableFuture<Long> cut = log.truncate(1);
    CompletableFuture<Long> other = append(2, 1);
    assertThat(log.lastIndex()).isEqualTo(1);
    assertThat(log.flushIndex()).isZero();
    disk.complete(null);
    removed.join();
    assertThat(cut.join()).isEqualTo(1);
    other.join();
    assertThat(log.flushIndex()).isEqualTo(1);
    assertThat(log.entry(1)).contains(entry(2, 1));
    restart();
    assertThat(log.entry(1)).contains(entry(2, 1));
    assertThat(log.lastIndex()).isEqualTo(1);
  }

  @Test
  void theFlushIndexGoesBackWithTheLog() throws IOException {
    append(1, 0);
    append(1, 1).join();
    log.truncate(1);
    assertThat(log.flushIndex()).isZero();
  }

  @Test
  void entriesFollowASnapshot() throws IOException {
    append(1, 0).join();
    log.release(10);
    assertThat(log.firstIndex()).isEqualTo(10);
    assertThat(log.lastIndex()).isEqualTo(9);
    assertThat(log.flushIndex()).isEqualTo(9);
    append(3, 10).join();
    restart();
    assertThat(log.firstIndex()).isEqualTo(10);
    assertThat(log.entry(10)).contains(entry(3, 10));
  }

  /** The former user of the group has appended what is not durable yet. */
  @Test
  void aLogThatIsOpenedAgainIsDurable() throws Exception {
    disk = new CompletableFuture<>();
    append(1, 0);
    log.close();
    CompletableFuture<EntryLog> opened =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return node.replica();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(opened).isNotDone();
    disk.complete(null);
    assertThat(opened.get().flushIndex()).isZero();
  }

  @Test
  void aFailureIsToldAndFailsWhatWaits() throws IOException {
    List<IOException> told = new CopyOnWriteArrayList<>();
    log.listen(() -> {}, told::add);
    LogPoints.BEFORE_SYNC.on(
        (point, subject) -> {
          throw new IOException("the test fails the disk");
        });
    CompletableFuture<Long> lost = append(1, 0);
    await().atMost(PATIENCE).until(() -> told.size() == 1);
    assertThat(lost).isCompletedExceptionally();
    assertThat(log.flushIndex()).isEqualTo(-1);
    assertThatThrownBy(() -> append(1, 1)).isInstanceOf(IOException.class);
  }

  @Test
  void aLogThatEndsBeforeTheStateIsAnOlderOne() throws IOException {
    assertThatCode(() -> log.require(new Position(0, -1))).doesNotThrowAnyException();
    append(1, 0).join();
    restart();
    assertThatThrownBy(() -> log.require(new Position(1, 4)))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("ends with entry 0, and the state has entries up to 4");
    log.require(new Position(1, 0));
  }

  /** The process ended after the snapshot had replaced the state. */
  @Test
  void aLogThatEndsBeforeAnInstalledSnapshotGoesOnAfterIt() throws IOException {
    append(1, 0).join();
    log.states().setInstalling(4);
    restart();
    log.require(new Position(1, 4));
    assertThat(log.lastIndex()).isEqualTo(4);
    append(1, 5).join();
  }

  @Test
  void aLogThatBeginsAfterTheStateHasAnOlderState() throws IOException {
    log.release(10);
    restart();
    assertThatThrownBy(() -> log.require(new Position(1, 8)))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("begins with entry 10, and the durable state ends with 8");
    log.require(new Position(1, 9));
  }

  /** A replica of a region that was split off has a state, and no entry yet. */
  @Test
  void aNewLogBeginsAfterTheState() throws IOException {
    log.require(new Position(1, 6));
    append(2, 7).join();
    assertThat(log.firstIndex()).isEqualTo(7);
  }

  @Test
  void anEntryOfALaterTermThanTheVoteIsDamage() throws IOException {
    append(10, 0).join();
    node.reopen();
    assertThatThrownBy(node::replica)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("later term");
  }

  /** What must not wait for a file does not see it. */
  @Test
  void anEntryThatIsNotInMemoryIsReadFromItsFile() throws IOException {
    SharedLogSettings small =
        new SharedLogSettings(1 << 20, 4096, Duration.ofMillis(1), 2, 2, 1000, 1L << 40, 1L << 40);
    node.reopen(small);
    log = node.replica();
    for (int index = 0; index < 50; index++) {
      append(1, index).join();
    }
    await().atMost(PATIENCE).until(() -> log.inMemory(0).isEmpty());
    assertThat(log.entry(0)).contains(entry(1, 0));
    assertThat(log.termIndex(0)).contains(TermIndex.valueOf(1, 0));
    assertThat(log.inMemory(49)).contains(entry(1, 49));
  }

  /** A group that hibernates may have records on their way when the disk fails. */
  @Test
  void aLogThatHasFailedIsNotOpened() throws IOException {
    List<IOException> told = new CopyOnWriteArrayList<>();
    node.node().whenFailed(told::add);
    LogPoints.BEFORE_SYNC.on(
        (point, subject) -> {
          throw new IOException("the test fails the disk");
        });
    append(1, 0);
    log.close();
    await().atMost(PATIENCE).until(() -> told.size() == 1);
    assertThatThrownBy(node::replica).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> log.append(entry(1, 1))).isInstanceOf(IOException.class);
    assertThat(log.durable(0)).isCompletedExceptionally();
  }

  @Test
  void aLogThatIsClosedLeavesTheGroupToTheNextUser() throws IOException {
    append(1, 0).join();
    EntryLog former = log;
    former.close();
    log = node.replica();
    assertThatThrownBy(() -> former.append(entry(1, 1))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> former.truncate(0)).isInstanceOf(IOException.class);
    assertThat(log.lastIndex()).isZero();
    append(1, 1).join();
  }
}
