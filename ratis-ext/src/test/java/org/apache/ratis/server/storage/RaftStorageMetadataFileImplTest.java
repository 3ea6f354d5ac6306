package org.apache.ratis.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.ratis.patches.VoteFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaftStorageMetadataFileImplTest {
  private static final int ROUNDS = 300;

  @TempDir Path directory;
  private Path file;
  private RaftStorageMetadataFile vote;

  @BeforeEach
  void open() {
    file = directory.resolve("raft-meta");
    vote = VoteFiles.in(directory);
  }

  @Test
  void aNewReplicaHasTermZeroAndItsFirstValueIsWritten() throws IOException {
    assertThat(vote.getMetadata()).isEqualTo(RaftStorageMetadata.getDefault());
    vote.persist(RaftStorageMetadata.getDefault());
    assertThat(VoteFile.read(file).vote()).isEqualTo(RaftStorageMetadata.getDefault());
  }

  @Test
  void whatIsWrittenIsReadByTheNextProcess() throws IOException {
    vote.persist(value(3, "n2"));
    assertThat(VoteFiles.in(directory).getMetadata()).isEqualTo(value(3, "n2"));
  }

  @Test
  void aLowerTermIsRefused() throws IOException {
    vote.persist(value(6, "n3"));
    assertThatThrownBy(() -> vote.persist(value(4, "n1")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("term 6 is on disk")
        .hasMessageContaining(file.toString());
    requireOnDisk(value(6, "n3"));
  }

  @Test
  void aSecondCandidateOfATermIsRefused() throws IOException {
    vote.persist(value(6, "n3"));
    assertThatThrownBy(() -> vote.persist(value(6, "n1")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has voted for n3 in term 6");
    requireOnDisk(value(6, "n3"));
  }

  /** Also by an object that has not read the file yet. */
  @Test
  void theFileDecidesAfterARestart() throws IOException {
    vote.persist(value(6, "n3"));
    RaftStorageMetadataFile restarted = VoteFiles.in(directory);
    assertThatThrownBy(() -> restarted.persist(value(6, "n1"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> restarted.persist(value(5, "n1"))).isInstanceOf(IOException.class);
    requireOnDisk(value(6, "n3"));
  }

  @Test
  void aVoteStaysIfTheSameTermIsWrittenWithoutOne() throws IOException {
    vote.persist(value(6, "n3"));
    vote.persist(RaftStorageMetadata.valueOf(6, null));
    requireOnDisk(value(6, "n3"));
    vote.persist(RaftStorageMetadata.valueOf(7, null));
    requireOnDisk(RaftStorageMetadata.valueOf(7, null));
    vote.persist(value(7, "n1"));
    requireOnDisk(value(7, "n1"));
  }

  @Test
  void aWriteThatFailsChangesNothing() throws IOException {
    vote.persist(value(3, "n2"));
    Path draft = Files.createDirectory(directory.resolve("raft-meta.tmp"));
    assertThatThrownBy(() -> vote.persist(value(4, "n2"))).isInstanceOf(IOException.class);
    requireOnDisk(value(3, "n2"));
    Files.delete(draft);
    vote.persist(value(4, "n2"));
    requireOnDisk(value(4, "n2"));
  }

  /** An election writes its own vote while a vote of a later term is granted. */
  @Test
  void theLaterOfTwoValuesStaysWhateverTheOrderOfTheirWrites() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (long round = 1; round <= ROUNDS; round++) {
      final long before = round * 10;
      vote.persist(value(before, "n2"));
      CyclicBarrier start = new CyclicBarrier(2);
      int spins = random.nextInt(20_000);
      CompletableFuture<Void> own =
          CompletableFuture.runAsync(
              () -> {
                await(start, 0);
                try {
                  vote.persist(value(before + 1, "n1"));
                } catch (IOException e) {
                  assertThat(e).hasMessageContaining("is on disk");
                }
              });
      await(start, spins);
      vote.persist(value(before + 2, "n3"));
      requireOnDisk(value(before + 2, "n3"));
      own.join();
      assertThat(VoteFile.read(file).vote()).as("seed %d", seed).isEqualTo(value(before + 2, "n3"));
    }
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

  private void requireOnDisk(RaftStorageMetadata expected) throws IOException {
    assertThat(VoteFile.read(file).vote()).isEqualTo(expected);
    assertThat(vote.getMetadata()).isEqualTo(expected);
  }

  private static RaftStorageMetadata value(long term, String candidate) {
    return RaftStorageMetadata.valueOf(term, RaftPeerId.valueOf(candidate));
  }
}
