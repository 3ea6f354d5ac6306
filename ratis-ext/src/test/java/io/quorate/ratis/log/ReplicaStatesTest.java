package io.quorate.ratis.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.replication.log.LogPoints;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicaStatesTest {
  private static final int ROUNDS = 100;

  @TempDir private Path directory;
  private LogFixture log;
  private ReplicaStates states;

  @BeforeEach
  void open() throws IOException {
    log = new LogFixture(directory);
    states = log.replica().states();
  }

  @AfterEach
  void close() throws IOException {
    LogPoints.BEFORE_SYNC.off();
    log.close();
  }

  private void restart() throws IOException {
    log.reopen();
    states = log.replica().states();
  }

  @Test
  void aReplicaBeginsInItsFirstTermWithoutAVote() throws IOException {
    assertThat(states.vote()).isEqualTo(RaftStorageMetadata.valueOf(0, null));
    assertThat(states.configuration()).isEmpty();
    assertThat(states.joinedAfter()).isEmpty();
    assertThat(states.installing()).isEmpty();
  }

  @Test
  void whatIsSetIsReadByTheNextProcess() throws IOException {
    states.setVote(vote(3, "n2"));
    states.setConfiguration(configuration(2, 30, "n4"));
    states.setJoinedAfter(TermIndex.valueOf(7, 500));
    states.setInstalling(90);
    restart();
    assertThat(states.vote()).isEqualTo(vote(3, "n2"));
    assertThat(states.configuration()).contains(configuration(2, 30, "n4"));
    assertThat(states.joinedAfter()).contains(TermIndex.valueOf(7, 500));
    assertThat(states.installing()).hasValue(90);
  }

  /** Instead of an unchecked exception, after which the node would not know whose fault it is. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        ReplicaStates.VOTE,
        ReplicaStates.CONFIGURATION,
        ReplicaStates.JOINED,
        ReplicaStates.INSTALLING
      })
  void aStateThatIsTooShortIsDamageOfItsReplica(int key) {
    byte[] cut = new byte[Long.BYTES - 1];
    assertThatThrownBy(
            () ->
                new ReplicaStates(
                    (ignored, value) -> CompletableFuture.completedFuture(null),
                    wanted -> wanted == key ? Optional.of(cut) : Optional.empty()))
        .isInstanceOf(DamagedLogException.class);
  }

  @Test
  void aLowerTermIsRefused() throws IOException {
    states.setVote(vote(6, "n3"));
    assertThatThrownBy(() -> states.setVote(vote(4, "n1")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("term 6 is on disk");
    requireOnDisk(vote(6, "n3"));
  }

  @Test
  void aSecondCandidateOfATermIsRefused() throws IOException {
    states.setVote(vote(6, "n3"));
    assertThatThrownBy(() -> states.setVote(vote(6, "n1")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has voted for n3 in term 6");
    requireOnDisk(vote(6, "n3"));
    assertThatThrownBy(() -> states.setVote(vote(6, "n1"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> states.setVote(vote(5, "n1"))).isInstanceOf(IOException.class);
  }

  @Test
  void aVoteStaysIfTheSameTermIsSetWithoutOne() throws IOException {
    states.setVote(vote(6, "n3"));
    states.setVote(RaftStorageMetadata.valueOf(6, null));
    requireOnDisk(vote(6, "n3"));
    states.setVote(RaftStorageMetadata.valueOf(7, null));
    requireOnDisk(RaftStorageMetadata.valueOf(7, null));
    states.setVote(vote(7, "n1"));
    requireOnDisk(vote(7, "n1"));
  }

  /** It is not yet when another thread asks, and the same value waits for the same fsync. */
  @Test
  void aVoteIsShownWhenItIsOnDisk() throws IOException {
    CompletableFuture<Void> disk = new CompletableFuture<>();
    LogPoints.BEFORE_SYNC.on((point, subject) -> disk.join());
    CompletableFuture<Void> first = CompletableFuture.runAsync(() -> set(vote(1, "n2")));
    CompletableFuture<Void> second = CompletableFuture.runAsync(() -> set(vote(1, "n2")));
    assertThat(states.vote().getTerm()).isZero();
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    disk.complete(null);
    first.join();
    second.join();
    assertThat(states.vote()).isEqualTo(vote(1, "n2"));
  }

  private void set(RaftStorageMetadata value) {
    try {
      states.setVote(value);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aVoteThatCannotBeWrittenIsNotShown() throws IOException {
    states.setVote(vote(3, "n2"));
    LogPoints.BEFORE_SYNC.on(
        (point, subject) -> {
          throw new IOException("the test fails the disk");
        });
    assertThatThrownBy(() -> states.setVote(vote(4, "n2")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("The log has failed");
    assertThat(states.vote()).isEqualTo(vote(3, "n2"));
    assertThatThrownBy(() -> states.setConfiguration(configuration(2, 31, "n4")))
        .isInstanceOf(IOException.class);
    assertThat(states.configuration()).isEmpty();
  }

  /** An election sets its own vote while a vote of a later term is granted. */
  @Test
  void theLaterOfTwoValuesStaysWhateverTheirOrder() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (long round = 1; round <= ROUNDS; round++) {
      final long before = round * 10;
      states.setVote(vote(before, "n2"));
      CyclicBarrier start = new CyclicBarrier(2);
      int spins = random.nextInt(20_000);
      CompletableFuture<Void> own =
          CompletableFuture.runAsync(
              () -> {
                await(start, 0);
                try {
                  states.setVote(vote(before + 1, "n1"));
                } catch (IOException e) {
                  assertThat(e).hasMessageContaining("is on disk");
                }
              });
      await(start, spins);
      states.setVote(vote(before + 2, "n3"));
      own.join();
      assertThat(states.vote()).as("seed %d", seed).isEqualTo(vote(before + 2, "n3"));
    }
    requireOnDisk(vote(ROUNDS * 10 + 2, "n3"));
  }

  private static void await(CyclicBarrier start, int spins) {
    try {
      start.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    for (int i = 0; i < spins; i++) {
      Thread.onSpinWait();
    }
  }

  /** An entry of the log is applied after a leader has announced a snapshot with a later one. */
  @Test
  void anOlderConfigurationDoesNotReplaceANewerOne() throws IOException {
    states.setConfiguration(configuration(5, 80, "n4"));
    states.setConfiguration(configuration(4, 40, "n3"));
    states.setConfiguration(configuration(5, 79, "n3"));
    states.setConfiguration(configuration(4, 90, "n3"));
    requireOnDisk(configuration(5, 80, "n4"));
    states.setConfiguration(configuration(5, 81, "n5"));
    requireOnDisk(configuration(5, 81, "n5"));
  }

  /** A leader announced one that was never committed, and another leader has replaced it. */
  @Test
  void theConfigurationOfALaterTermReplacesOneOfALaterEntry() throws IOException {
    states.setConfiguration(configuration(5, 80, "n4"));
    states.setConfiguration(configuration(6, 70, "n3"));
    requireOnDisk(configuration(6, 70, "n3"));
  }

  private void requireOnDisk(RaftStorageMetadata expected) throws IOException {
    assertThat(states.vote()).isEqualTo(expected);
    restart();
    assertThat(states.vote()).isEqualTo(expected);
  }

  private void requireOnDisk(LogEntryProto expected) throws IOException {
    restart();
    assertThat(states.configuration()).isEqualTo(Optional.of(expected));
  }

  private static RaftStorageMetadata vote(long term, String candidate) {
    return RaftStorageMetadata.valueOf(term, RaftPeerId.valueOf(candidate));
  }

  private static LogEntryProto configuration(long term, long index, String member) {
    return LogEntryProto.newBuilder()
        .setTerm(term)
        .setIndex(index)
        .setConfigurationEntry(
            RaftConfigurationProto.newBuilder()
                .addPeers(
                    RaftPeerProto.newBuilder()
                        .setId(ByteString.copyFromUtf8(member))
                        .setAddress("127.0.0.1:7101")))
        .build();
  }
}
