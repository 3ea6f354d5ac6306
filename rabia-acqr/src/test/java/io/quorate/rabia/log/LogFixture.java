package io.quorate.rabia.log;

import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.codec.RandomProtocol;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A log under test, with the durable positions and failures that it has reported. */
final class LogFixture implements AutoCloseable, ReplicaLog.Events {
  static final LogIdentity IDENTITY =
      new LogIdentity(new UUID(1, 2), new GroupId(3), new NodeId("n1"));

  /** Small segments, so that a log has many of them. */
  static final LogSettings SMALL =
      new LogSettings(8 << 10, 2 << 10, Duration.ofHours(1), 1 << 16, 64 << 20);

  /** Like {@link #SMALL}, but all records that wait are written as one group, up to 8 KiB. */
  static final LogSettings ONE_GROUP =
      new LogSettings(8 << 10, 8 << 10, Duration.ofHours(1), 1 << 16, 64 << 20);

  private final List<Lsn> durable = new CopyOnWriteArrayList<>();
  private final List<IOException> failures = new CopyOnWriteArrayList<>();
  private final ReplicaLog log;
  private long lsn;

  LogFixture(Path directory, LogSettings settings) throws IOException {
    log = ReplicaLog.open(directory, end(directory), IDENTITY, settings, this);
  }

  static LogSettings lazySync(Duration time) {
    LogSettings d = LogSettings.DEFAULT;
    return new LogSettings(
        d.segmentBytes(), d.groupBytes(), time, d.queueRecords(), d.queueBytes());
  }

  /** The file is beside the log directory, so that it survives the loss of that directory. */
  static Path end(Path directory) {
    return directory.resolveSibling(directory.getFileName() + ".end");
  }

  /** Opens the log and returns all its records. */
  static List<LogRecord> read(Path directory) throws IOException {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      return log.replayed();
    }
  }

  /**
   * Whether the log thread waits without a timeout, or with a timeout until the next lazy fsync,
   * which is an hour away.
   */
  static boolean isParked() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("quorate-rabia-log-" + IDENTITY.group()))
        .allMatch(
            thread ->
                thread.getState() == Thread.State.WAITING
                    || thread.getState() == Thread.State.TIMED_WAITING);
  }

  static Path lastSegment(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.max(Path::compareTo).orElseThrow();
    }
  }

  ReplicaLog log() {
    return log;
  }

  List<LogRecord> replayed() throws IOException {
    List<LogRecord> records = new ArrayList<>();
    log.replay(records::add);
    return records;
  }

  /** Appends and flushes. */
  Lsn append(LogRecord record) {
    Lsn at = append(record, false);
    log.flush();
    return at;
  }

  Lsn append(LogRecord record, boolean lazily) {
    Lsn at = new Lsn(++lsn);
    log.append(at, record, lazily);
    return at;
  }

  void appendAll(List<LogRecord> records) {
    records.forEach(record -> append(record, false));
    log.flush();
  }

  Lsn durable() {
    return durable.isEmpty() ? Lsn.START : durable.get(durable.size() - 1);
  }

  List<Lsn> reported() {
    return durable;
  }

  List<IOException> failures() {
    return failures;
  }

  /** Polls every millisecond, because the awaited events take less than a millisecond. */
  static ConditionFactory await() {
    return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
  }

  void awaitDurable(Lsn through) {
    await().until(() -> !through.isAfter(durable()));
  }

  @Override
  public void durable(Lsn through) {
    durable.add(through);
  }

  @Override
  public void failed(IOException cause) {
    failures.add(cause);
  }

  @Override
  public void close() {
    log.close();
  }

  static LogRecord decided(long slot) {
    return new LogRecord.SlotDecided(new Position(1, slot), Decided.NULL);
  }

  /** A proposal with a body of {@code bytes} bytes, none of them zero. */
  static LogRecord proposed(long slot, int bytes) {
    byte[] command = new byte[bytes];
    new Random(slot).nextBytes(command);
    for (int i = 0; i < bytes; i++) {
      command[i] |= 1;
    }
    Batch batch =
        Batch.of(
            new NodeId("n1"), 1, slot, 0, new Body.Commands(List.of(ByteBuffer.wrap(command))));
    return new LogRecord.Proposed(new Position(1, slot), batch.id(), Optional.of(batch));
  }

  static LogRecord.Checkpointed checkpointed(long slot) {
    Member member = new Member(new NodeId("n1"), InetSocketAddress.createUnresolved("h", 1));
    return new LogRecord.Checkpointed(
        new Checkpoint(
            new Position(1, slot), List.of(new Configuration(1, 0, List.of(member))), Map.of()),
        new LogRecord.Reservation(1, slot + 100));
  }

  /** One record of every kind, {@code rounds} times. */
  static List<LogRecord> records(Random random, int rounds) {
    RandomProtocol values = new RandomProtocol(random);
    List<LogRecord> records = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      records.addAll(values.records());
    }
    return records;
  }
}
