package io.quorate.replication.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotSenderTest {
  private static final Duration IDLE = Duration.ofSeconds(60);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Position POSITION = new Position(2, 17);

  @TempDir Path directory;

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
  private final TestExporter exporter = new TestExporter();
  private Path outgoing;
  private SnapshotSender sender;

  @BeforeEach
  void start() throws IOException {
    outgoing = directory.resolve("outgoing");
    Files.createDirectories(outgoing.resolve("left over"));
    Files.writeString(directory.resolve("secret"), "secret");
    sender =
        new SnapshotSender(exporter, new NoEvents(), outgoing, 4, IDLE, Runnable::run, clock::get);
  }

  @Test
  void leftoverFilesAreDeletedAtTheStart() throws IOException {
    assertThat(snapshotsOnDisk()).isZero();
  }

  @Test
  void filesAreListedWithTheirLengthsAndSentInChunks() throws IOException {
    SnapshotMessage.Opened opened = open("n1");
    assertThat(opened.position()).isEqualTo(POSITION);
    assertThat(opened.files()).containsExactly(new SnapshotMessage.FileEntry("data", 6));
    assertThat(read(opened.snapshot(), "data", 0, 3)).isEqualTo("012");
    assertThat(read(opened.snapshot(), "data", 3, 3)).isEqualTo("345");
    assertThat(read(opened.snapshot(), "data", 0, 100)).as("no chunk is longer").isEqualTo("0123");
    assertThat(read(opened.snapshot(), "data", 6, 3)).isEmpty();
    assertThat(read(opened.snapshot(), "data", 0, -1)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"../secret", "../../secret", "/etc/passwd", "a/../../../secret", "", "."})
  void noFileOutsideTheSnapshotIsSent(String name) throws IOException {
    UUID snapshot = open("n1").snapshot();
    assertThatThrownBy(() -> read(snapshot, name, 0, 4)).hasRootCauseInstanceOf(IOException.class);
  }

  @Test
  void aNegativeOffsetIsRejected() throws IOException {
    UUID snapshot = open("n1").snapshot();
    assertThatThrownBy(() -> read(snapshot, "data", -1, 4))
        .hasRootCauseInstanceOf(IOException.class);
  }

  @Test
  void aFinishedTransferLeavesNoFile() throws IOException {
    UUID snapshot = open("n1").snapshot();
    call(new SnapshotMessage.Done(snapshot)).join();
    assertThat(snapshotsOnDisk()).isZero();
    assertThatThrownBy(() -> read(snapshot, "data", 0, 4)).hasMessageContaining("no longer here");
    assertThat(call(new SnapshotMessage.Done(snapshot)).join()).isEqualTo(ByteBuffer.allocate(0));
  }

  @Test
  void idleTransfersAreDeleted() throws IOException {
    UUID idle = open("n1").snapshot();
    UUID busy = open("n2").snapshot();
    clock.addAndGet(IDLE.toNanos());
    read(busy, "data", 0, 1);
    sender.dropIdle();
    assertThat(read(idle, "data", 0, 1)).as("not yet too old").isEqualTo("0");
    clock.addAndGet(IDLE.toNanos());
    read(busy, "data", 0, 1);
    clock.addAndGet(1);
    sender.dropIdle();
    assertThat(read(busy, "data", 0, 1)).isEqualTo("0");
    assertThatThrownBy(() -> read(idle, "data", 0, 1)).hasMessageContaining("no longer here");
  }

  @Test
  void concurrentTransfersAreBounded() throws IOException {
    UUID first = open("n0").snapshot();
    for (int i = 1; i < SnapshotSender.TRANSFERS_MAX; i++) {
      open("n" + i);
    }
    assertThatThrownBy(() -> open("one too many")).hasMessageContaining("on their way");
    call(new SnapshotMessage.Done(first)).join();
    assertThat(open("one too many").position()).isEqualTo(POSITION);
  }

  @Test
  void aNewRequestOfAReplicaEndsItsEarlierTransfer() throws IOException {
    for (int i = 0; i < 2 * SnapshotSender.TRANSFERS_MAX; i++) {
      read(open("n1").snapshot(), "data", 0, 1);
    }
    assertThat(snapshotsOnDisk()).isEqualTo(1);
  }

  @Test
  void aRepeatedRequestDuringAnExportSharesIt() {
    CompletableFuture<Void> gate = exporter.hold();
    SnapshotSender threaded = threaded();
    CompletableFuture<ByteBuffer> first =
        threaded.respond(new SnapshotMessage.Open("n1").encoded());
    await().atMost(TIMEOUT).until(() -> exporter.exports.get() == 1);
    CompletableFuture<ByteBuffer> second =
        threaded.respond(new SnapshotMessage.Open("n1").encoded());
    clock.addAndGet(2 * IDLE.toNanos());
    threaded.dropIdle();
    gate.complete(null);
    assertThat(first.join()).isEqualTo(second.join()).isNotSameAs(second.join());
    assertThat(exporter.exports.get()).isEqualTo(1);
  }

  @Test
  void concurrentTransfersShareOneSnapshot() throws IOException {
    UUID first = open("n1").snapshot();
    UUID second = open("n2").snapshot();
    assertThat(exporter.exports.get()).isEqualTo(1);
    assertThat(second).isNotEqualTo(first);

    call(new SnapshotMessage.Done(first)).join();
    assertThat(read(second, "data", 0, 3)).isEqualTo("012");
    call(new SnapshotMessage.Done(second)).join();
    assertThat(snapshotsOnDisk()).isZero();
  }

  @Test
  void anOldSnapshotIsNotShared() throws IOException {
    UUID first = open("n1").snapshot();
    clock.addAndGet(SnapshotSender.SHARED_AGE_MAX.toNanos());
    read(first, "data", 0, 1);
    open("n2");
    assertThat(exporter.exports.get()).isEqualTo(2);
    assertThat(snapshotsOnDisk()).isEqualTo(2);
  }

  @Test
  void closingWaitsForTheRunningExportAndRejectsOtherRequests() {
    CompletableFuture<Void> gate = exporter.hold();
    SnapshotSender threaded = threaded();
    CompletableFuture<ByteBuffer> opened =
        threaded.respond(new SnapshotMessage.Open("n1").encoded());
    await().atMost(TIMEOUT).until(() -> exporter.exports.get() == 1);
    Thread closing = new Thread(threaded::close);
    closing.start();
    await().atMost(TIMEOUT).until(() -> closing.getState() == Thread.State.WAITING);
    assertThatThrownBy(() -> threaded.respond(new SnapshotMessage.Open("n2").encoded()).join())
        .hasMessageContaining("closing");
    gate.complete(null);
    await().atMost(TIMEOUT).until(() -> !closing.isAlive());
    await().atMost(TIMEOUT).until(opened::isDone);
    assertThat(opened).isCompleted();
    assertThat(exporter.exports.get()).isEqualTo(1);
  }

  @Test
  void aFailedExportLeavesNoFileAndCanBeRetried() throws IOException {
    exporter.failing = true;
    assertThatThrownBy(() -> open("n1")).hasMessageContaining("disk full");
    assertThat(snapshotsOnDisk()).isZero();
    exporter.failing = false;
    assertThat(open("n1").position()).isEqualTo(POSITION);
  }

  @Test
  void aRejectionByTheExecutorFailsTheRequest() throws IOException {
    SnapshotSender busy =
        new SnapshotSender(
            exporter,
            new NoEvents(),
            outgoing,
            4,
            IDLE,
            task -> {
              throw new RejectedExecutionException("full");
            },
            clock::get);
    assertThatThrownBy(() -> busy.respond(new SnapshotMessage.Open("n1").encoded()).join())
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void malformedRequestsAreRejected() {
    assertThatThrownBy(() -> sender.respond(ByteBuffer.wrap(new byte[] {77})).join())
        .hasCauseInstanceOf(IOException.class);
    SnapshotMessage.Opened response =
        new SnapshotMessage.Opened(UUID.randomUUID(), POSITION, List.of());
    assertThatThrownBy(() -> call(response).join()).hasCauseInstanceOf(IOException.class);
  }

  private SnapshotSender threaded() {
    try {
      return new SnapshotSender(
          exporter,
          new NoEvents(),
          outgoing,
          4,
          IDLE,
          task -> new Thread(task).start(),
          clock::get);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private SnapshotMessage.Opened open(String replica) throws IOException {
    ByteBuffer response = call(new SnapshotMessage.Open(replica)).join();
    return (SnapshotMessage.Opened) SnapshotMessage.decode(response);
  }

  private String read(UUID snapshot, String file, long offset, int length) {
    ByteBuffer chunk = call(new SnapshotMessage.Read(snapshot, file, offset, length)).join();
    return StandardCharsets.UTF_8.decode(chunk).toString();
  }

  private CompletableFuture<ByteBuffer> call(SnapshotMessage request) {
    return sender.respond(request.encoded());
  }

  private long snapshotsOnDisk() throws IOException {
    try (Stream<Path> files = Files.list(outgoing)) {
      return files.count();
    }
  }

  /** Ignores all events. */
  private static final class NoEvents implements SnapshotSender.Events {
    @Override
    public void exported(UUID snapshot, String replica, Position position, int files) {}

    @Override
    public void notDeleted(Path directory, IOException cause) {}
  }

  private static final class TestExporter implements SnapshotSender.Exporter {
    private final AtomicInteger exports = new AtomicInteger();
    private CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);
    private boolean failing;

    CompletableFuture<Void> hold() {
      gate = new CompletableFuture<>();
      return gate;
    }

    @Override
    public Position exportTo(Path into) throws IOException {
      exports.incrementAndGet();
      gate.join();
      Files.writeString(into.resolve("data"), "012345");
      if (failing) {
        throw new IOException("disk full");
      }
      return POSITION;
    }
  }
}
