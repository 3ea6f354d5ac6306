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
import io.quorate.replication.log.SharedLog;
import io.quorate.replication.log.SharedLogSettings;
import io.quorate.replication.log.segment.LogOwner;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * The log of a replica under test, with the durable positions and failures that it has reported.
 */
final class LogFixture implements AutoCloseable, ReplicaLog.Events {
  static final GroupId GROUP = new GroupId(3);
  static final LogOwner OWNER = new LogOwner(new UUID(1, 2), new NodeId("n1"));

  /** Small segments, so that a log has many of them. */
  static final SharedLogSettings SMALL = settings(8 << 10, Duration.ofHours(1));

  private final List<Lsn> durable = new CopyOnWriteArrayList<>();
  private final List<IOException> failures = new CopyOnWriteArrayList<>();
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final SharedLog node;
  private final ReplicaLog log;
  private long lsn;

  LogFixture(Path directory, SharedLogSettings settings) throws IOException {
    node = open(directory, settings);
    log = ReplicaLog.open(node, GROUP, executor, this);
  }

  static SharedLog open(Path directory, SharedLogSettings settings) throws IOException {
    return SharedLog.open(directory.resolve("log"), directory.resolve("end"), OWNER, settings);
  }

  static SharedLogSettings settings(int segmentBytes, Duration lazySync) {
    return new SharedLogSettings(
        segmentBytes, 4 << 10, lazySync, 1 << 16, 64 << 20, 64 << 20, 1L << 40, 1L << 40);
  }

  /** Opens the log and returns all its records. */
  static List<LogRecord> read(Path directory) throws IOException {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      return log.replayed();
    }
  }

  SharedLog node() {
    return node;
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
  public void room() {
    // Nobody waits for it.
  }

  @Override
  public void failed(IOException cause) {
    failures.add(cause);
  }

  /** Makes durable what was appended. */
  @Override
  public void close() throws IOException {
    node.close();
    executor.shutdown();
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

  /** One record of every kind, {@code rounds} times, except of slots that do not exist. */
  static List<LogRecord> records(Random random, int rounds) {
    RandomProtocol values = new RandomProtocol(random);
    List<LogRecord> records = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      records.addAll(values.records());
    }
    records.removeIf(record -> isImpossible(slot(record)));
    return records;
  }

  private static long slot(LogRecord record) {
    return record instanceof LogRecord.OfSlot ofSlot
        ? ofSlot.at().index()
        : record instanceof LogRecord.Checkpointed found ? found.checkpoint().at().index() : 0;
  }

  private static boolean isImpossible(long slot) {
    return slot < 0 || slot == Long.MAX_VALUE;
  }
}
