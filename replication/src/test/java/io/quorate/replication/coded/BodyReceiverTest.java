package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Budget;
import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyMessages;
import io.quorate.replication.coded.round.BodyMessages.Fetch;
import io.quorate.replication.coded.round.BodyMessages.Fetched;
import io.quorate.replication.coded.round.BodyMessages.StoreChunk;
import io.quorate.replication.coded.round.BodyMessagesTest;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.body.BodyStoreOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BodyReceiverTest {
  private static final GroupId GROUP = new GroupId(1);
  private static final NodeId LEADER = new NodeId("n1");
  private static final long TERM = 5;
  private static final byte[] CONTENT = {1, 2, 3, 4};

  @TempDir Path directory;

  private final ExecutorService workers = Executors.newFixedThreadPool(2);
  private BodyStore store;
  private BodyReceiver receiver;

  @BeforeEach
  void open() throws IOException {
    store = BodyStore.open(directory, BodyStoreOptions.DEFAULT, failure -> {});
    receiver =
        new BodyReceiver(
            GROUP,
            new NodeId("n3"),
            () -> Set.of(LEADER, new NodeId("n2")),
            new LocalBodies(store, workers),
            new IncomingBodies(new Budget(1, 100), Duration.ofSeconds(5)),
            workers,
            () -> TERM);
  }

  @AfterEach
  void close() throws IOException {
    workers.shutdown();
    store.close();
  }

  private static int checksum() {
    CRC32C crc = new CRC32C();
    crc.update(CONTENT);
    return (int) crc.getValue();
  }

  private static StoreChunk chunk(long epoch, int checksum, int from, int to) {
    ByteBuffer bytes = ByteBuffer.wrap(CONTENT, from, to - from).slice();
    return new StoreChunk(epoch, 0, Form.FRAGMENT, 2, CONTENT.length, checksum, from, bytes);
  }

  private Optional<Form> store(NodeId from, StoreChunk chunk) {
    return BodyMessages.readStored(
        receiver.store(from, BodyMessagesTest.joined(chunk.encode())).join());
  }

  @Test
  void theLastChunkIsAcknowledgedWhenTheBodyIsDurable() {
    assertThat(store(LEADER, chunk(TERM, checksum(), 0, 3))).isEmpty();
    assertThat(store(LEADER, chunk(TERM, checksum(), 3, 4))).contains(Form.FRAGMENT);
    assertThat(store.contains(new BodyId(GROUP, TERM, 0))).isTrue();
    ByteBuffer request = new Fetch(TERM, 0, 1, 2).encode();
    assertThat(BodyMessages.readFetched(receiver.fetch(LEADER, request).join()))
        .contains(new Fetched(Form.FRAGMENT, 2, 4, ByteBuffer.wrap(new byte[] {2, 3})));
  }

  /** The node that holds it notices, and not only the one that fetches it. */
  @Test
  void whatIsDamagedIsNotServed() throws IOException {
    BodyId body = new BodyId(GROUP, TERM, 0);
    assertThat(store(LEADER, chunk(TERM, checksum(), 0, 4))).contains(Form.FRAGMENT);
    Path file = directory.resolve("0000000000000001.bodies");
    byte[] bytes = Files.readAllBytes(file);
    for (int at = 0; at + CONTENT.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + CONTENT.length, CONTENT, 0, CONTENT.length)) {
        bytes[at] ^= 1;
      }
    }
    Files.write(file, bytes);
    assertThat(store.hasLost(body)).isFalse();
    assertThat(receiver.fetch(LEADER, new Fetch(TERM, 0, 0, 2).encode()))
        .failsWithin(Duration.ofSeconds(20));
    assertThat(store.hasLost(body)).isTrue();
  }

  @Test
  void whatIsNotHeldIsNotFetched() {
    ByteBuffer request = new Fetch(TERM, 9, 0, 2).encode();
    assertThat(BodyMessages.readFetched(receiver.fetch(LEADER, request).join())).isEmpty();
  }

  @Test
  void aBodyOfAnEarlierTermIsRefused() {
    assertThatThrownBy(() -> store(LEADER, chunk(TERM - 1, checksum(), 0, 4)))
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("term of this replica is 5");
    assertThat(store(LEADER, chunk(TERM + 1, checksum(), 0, 4))).contains(Form.FRAGMENT);
  }

  /** It is copied before the members change, and the state refers to it. */
  @Test
  void aCopyIsStoredWhateverItsTerm() {
    ByteBuffer copy = BodyMessagesTest.joined(chunk(TERM - 1, checksum(), 0, 4).encode());
    assertThat(BodyMessages.readStored(receiver.copy(LEADER, copy).join())).contains(Form.FRAGMENT);
  }

  @Test
  void onlyMembersAreServed() {
    NodeId stranger = new NodeId("n9");
    assertThatThrownBy(() -> store(stranger, chunk(TERM, checksum(), 0, 4)))
        .hasMessageContaining("is no member");
    assertThat(receiver.fetch(stranger, new Fetch(TERM, 0, 0, 1).encode()))
        .isCompletedExceptionally();
  }

  /** A second body is refused only as long as the first one is in flight: the bound is 1. */
  @Test
  void changedContentIsNotStoredAndOccupiesNothing() {
    assertThatThrownBy(() -> store(LEADER, chunk(TERM, 77, 0, 4)))
        .hasMessageContaining("does not match its checksum");
    assertThat(store.contains(new BodyId(GROUP, TERM, 0))).isFalse();
    assertThat(store(LEADER, chunk(TERM, checksum(), 0, 4))).contains(Form.FRAGMENT);
  }

  @Test
  void malformedRequestsAreRefused() {
    assertThat(receiver.store(LEADER, ByteBuffer.allocate(3))).isCompletedExceptionally();
    assertThat(receiver.fetch(LEADER, ByteBuffer.allocate(3))).isCompletedExceptionally();
  }
}
