package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.body.BodyStoreOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalBodiesTest {
  private static final BodyId ID = new BodyId(new GroupId(1), 2, 3);
  private static final ByteBuffer COPY = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});
  private static final ByteBuffer FRAGMENT = ByteBuffer.wrap(new byte[] {3, 4});

  @TempDir Path directory;

  private final ExecutorService workers = Executors.newFixedThreadPool(4);
  private BodyStore store;
  private LocalBodies bodies;

  @BeforeEach
  void open() throws IOException {
    store = BodyStore.open(directory, BodyStoreOptions.DEFAULT, failure -> {});
    bodies = new LocalBodies(store, workers);
  }

  @AfterEach
  void close() throws IOException {
    workers.shutdown();
    store.close();
  }

  private CompletableFuture<Form> storeFragment() {
    return bodies.store(ID, Form.FRAGMENT, 1, List.of(FRAGMENT.duplicate()));
  }

  private CompletableFuture<Form> storeCopy() {
    return bodies.store(ID, Form.COMPLETE, 0, List.of(COPY.duplicate()));
  }

  @Test
  void aCompleteCopyReplacesAFragment() throws IOException {
    assertThat(storeFragment().join()).isEqualTo(Form.FRAGMENT);
    assertThat(bodies.load(ID)).contains(new HeldBody(Form.FRAGMENT, 1, FRAGMENT));
    assertThat(storeCopy().join()).isEqualTo(Form.COMPLETE);
    assertThat(bodies.load(ID)).contains(HeldBody.complete(COPY));
  }

  @Test
  void aFragmentNeverReplacesACompleteCopy() throws IOException {
    storeCopy().join();
    assertThat(storeFragment().join()).isEqualTo(Form.COMPLETE);
    assertThat(bodies.load(ID)).contains(HeldBody.complete(COPY));
  }

  /** The fragment arrives while the copy is being written. */
  @Test
  void aFragmentNeverReplacesACompleteCopyThatIsNotDurableYet() throws IOException {
    for (long number = 0; number < 50; number++) {
      BodyId id = new BodyId(new GroupId(1), 5, number);
      CompletableFuture<Form> copy = bodies.store(id, Form.COMPLETE, 0, List.of(COPY.duplicate()));
      CompletableFuture<Form> fragment =
          bodies.store(id, Form.FRAGMENT, 1, List.of(FRAGMENT.duplicate()));
      assertThat(copy.join()).isEqualTo(Form.COMPLETE);
      assertThat(fragment.join()).isEqualTo(Form.COMPLETE);
      assertThat(bodies.load(id)).contains(HeldBody.complete(COPY));
    }
  }

  @Test
  void whatIsNoStoredFormIsDamaged() {
    store.put(ID, List.of(ByteBuffer.wrap(new byte[] {9, 0, 1}))).join();
    assertThatThrownBy(() -> bodies.load(ID)).isInstanceOf(IOException.class);
    assertThat(storeCopy().join()).isEqualTo(Form.COMPLETE);
  }

  /** It may have been counted as a complete copy. */
  @Test
  void aFragmentDoesNotReplaceADamagedCompleteCopy() throws IOException {
    storeCopy().join();
    flipLastByteOf(COPY);
    assertThatThrownBy(() -> bodies.load(ID)).isInstanceOf(IOException.class);
    assertThatThrownBy(storeFragment()::join).hasMessageContaining("2:3 is damaged");
    assertThat(storeCopy().join()).isEqualTo(Form.COMPLETE);
    assertThat(bodies.load(ID)).contains(HeldBody.complete(COPY));
  }

  @Test
  void aFragmentDoesNotReplaceALostCompleteCopy() throws IOException {
    storeCopy().join();
    store.close();
    flipLastByteOf(COPY);
    open();
    assertThat(store.contains(ID)).isFalse();
    assertThatThrownBy(storeFragment()::join).hasMessageContaining("2:3 is damaged");
    assertThat(storeCopy().join()).isEqualTo(Form.COMPLETE);
    assertThat(bodies.mayHaveLost(ID)).isFalse();
  }

  @Test
  void aFragmentReplacesADamagedFragment() throws IOException {
    storeFragment().join();
    flipLastByteOf(FRAGMENT);
    assertThat(storeFragment().join()).isEqualTo(Form.FRAGMENT);
    assertThat(bodies.load(ID)).contains(new HeldBody(Form.FRAGMENT, 1, FRAGMENT));
  }

  /** In the only file, in which the content is once. */
  private void flipLastByteOf(ByteBuffer content) throws IOException {
    Path file = directory.resolve("0000000000000001.bodies");
    byte[] bytes = Files.readAllBytes(file);
    for (int at = 0; at + content.remaining() <= bytes.length; at++) {
      if (ByteBuffer.wrap(bytes, at, content.remaining()).equals(content)) {
        bytes[at + content.remaining() - 1] ^= 1;
        Files.write(file, bytes);
        return;
      }
    }
    throw new AssertionError("The content is not in " + file);
  }

  @Test
  void withoutWorkersNothingIsStored() {
    workers.shutdown();
    assertThat(storeCopy()).isCompletedExceptionally();
    assertThat(store.contains(ID)).isFalse();
  }
}
