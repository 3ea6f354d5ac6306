package io.quorate.ratis.log;

import static io.quorate.ratis.log.LogFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.replication.log.LogPoints;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.server.storage.UnusedFiles;
import org.apache.ratis.statemachine.TransactionContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log as Ratis uses it. */
class SegmentedRaftLogTest {
  @TempDir private Path directory;
  private LogFixture node;
  private EntryLog log;
  private CompletableFuture<Void> disk = CompletableFuture.completedFuture(null);

  @BeforeEach
  void open() throws IOException {
    node = new LogFixture(directory);
    log = node.replica();
    log.states().setVote(RaftStorageMetadata.valueOf(1L << 40, null));
    LogPoints.BEFORE_SYNC.on((point, subject) -> disk.join());
  }

  @AfterEach
  void close() throws IOException {
    disk.complete(null);
    LogPoints.BEFORE_SYNC.off();
    node.close();
  }

  private SegmentedRaftLog ratis() throws IOException {
    LogMachine machine = new LogMachine(log);
    RaftServer.Division division =
        (RaftServer.Division)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RaftServer.Division.class},
                (proxy, method, args) ->
                    method.getName().equals("getStateMachine") ? machine : null);
    SegmentedRaftLog opened =
        SegmentedRaftLog.newBuilder()
            .setMemberId(RaftGroupMemberId.valueOf(RaftPeerId.valueOf("a"), RaftGroupId.randomId()))
            .setServer(division)
            .setNotifyTruncatedLogEntry(e -> {})
            .setSubmitUpdateCommitEvent(() -> {})
            .setStorage(UnusedFiles.in(directory.resolve("x").toFile()))
            .setSnapshotIndexSupplier(() -> -1)
            .setProperties(new RaftProperties())
            .build();
    opened.open(-1, e -> {});
    return opened;
  }

  /** Ratis closes a log that completes an entry with another index. */
  @Test
  @Timeout(60)
  void aFormerLeaderWhoseUnsyncedEntryIsReplacedKeepsItsLog() throws Exception {
    SegmentedRaftLog ratis = ratis();
    ratis.append(List.of(entry(1, 0))).forEach(CompletableFuture::join);
    disk = new CompletableFuture<>();
    // Leader of term 1 appends by itself.
    TransactionContext own =
        (TransactionContext)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TransactionContext.class},
                (proxy, method, args) ->
                    method.getName().equals("initLogEntry") ? entry(1, 1) : proxy);
    assertThat(ratis.append(1, own)).isEqualTo(1);
    List<CompletableFuture<Long>> other = ratis.append(List.of(entry(2, 1)));
    disk.complete(null);
    for (CompletableFuture<Long> each : other) {
      each.get(20, TimeUnit.SECONDS);
    }
    assertThat(ratis.isOpened()).isTrue();
  }

  /** A vote would be given for a log that ends with the durable state. */
  @Test
  @Timeout(120)
  void theLastEntryIsNeverNullWhileEntriesAreReplaced() throws Exception {
    SegmentedRaftLog ratis = ratis();
    for (int i = 0; i < 5; i++) {
      ratis.append(List.of(entry(1, i))).forEach(CompletableFuture::join);
    }
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger nulls = new AtomicInteger();
    Thread voter =
        new Thread(
            () -> {
              while (!stop.get()) {
                if (ratis.getLastEntryTermIndex() == null) {
                  nulls.incrementAndGet();
                }
              }
            });
    voter.start();
    long term = 2;
    while (term < 2_000 && nulls.get() == 0) {
      List<LogEntryProto> many =
          List.of(entry(term, 3), entry(term, 4), entry(term, 5), entry(term, 6));
      ratis.append(many);
      term++;
      ratis.append(List.of(entry(term, 3))).forEach(CompletableFuture::join);
      term++;
    }
    stop.set(true);
    voter.join();
    assertThat(nulls.get()).isZero();
  }
}
