package io.quorate.replication.log;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.LogOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A log under test in a directory, and the file beside it in another. */
final class SharedLogFixture implements AutoCloseable {
  static final LogOwner OWNER = new LogOwner(new UUID(1, 2), new NodeId("n1"));
  static final GroupId A = new GroupId(1);
  static final GroupId B = new GroupId(2);
  static final GroupId C = new GroupId(3);

  /** Small segments, so that a log has many of them. */
  static final SharedLogSettings SMALL = settings(4 << 10, 1 << 20);

  /** Small segments, and little memory. */
  static final SharedLogSettings TIGHT = settings(4 << 10, 16 << 10);

  /** One segment. */
  static final SharedLogSettings LARGE = settings(4 << 20, 1 << 20);

  static SharedLogSettings settings(int segmentBytes, long memoryBytes) {
    return new SharedLogSettings(
        segmentBytes,
        4096,
        Duration.ofMillis(20),
        1 << 16,
        memoryBytes,
        memoryBytes,
        1L << 40,
        1L << 40);
  }

  /** What a group was told. */
  static class Told implements GroupLogEvents {
    final List<Long> durable = new CopyOnWriteArrayList<>();
    final List<IOException> failures = new CopyOnWriteArrayList<>();
    volatile int rooms;
    volatile Thread thread;

    @Override
    public void durable(long through) {
      thread = Thread.currentThread();
      durable.add(through);
    }

    @Override
    public void room() {
      rooms++;
    }

    @Override
    public void failed(IOException cause) {
      failures.add(cause);
    }
  }

  final Path directory;
  final Path end;
  final SharedLog log;

  SharedLogFixture(Path parent) throws IOException {
    this(parent, SMALL);
  }

  SharedLogFixture(Path parent, SharedLogSettings settings) throws IOException {
    directory = directory(parent);
    end = end(parent);
    log = SharedLog.open(directory, end, OWNER, settings);
  }

  static Path directory(Path parent) {
    return parent.resolve("log");
  }

  static Path end(Path parent) {
    return parent.resolve("end");
  }

  static Path segment(Path parent, int number) {
    return directory(parent).resolve(String.format(Locale.ROOT, "%08d.log", number));
  }

  /** The numbers of the segments, ascending. */
  static List<Integer> segments(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(directory(parent))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".log"))
          .map(name -> Integer.parseInt(name.substring(0, name.length() - 4)))
          .sorted()
          .toList();
    }
  }

  /** The newest segment with records beside bases, after the log was closed. */
  static Path newest(Path parent) throws IOException {
    List<Integer> numbers = segments(parent);
    return segment(parent, numbers.get(numbers.size() - 1));
  }

  static ConditionFactory await() {
    return Awaitility.await()
        .timeout(Duration.ofSeconds(20))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1));
  }

  GroupLog create(GroupId group) throws IOException {
    return log.create(group, 0, Runnable::run, new Told());
  }

  GroupLog open(GroupId group) throws IOException {
    return log.open(group, Runnable::run, new Told()).orElseThrow();
  }

  static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** An entry's bytes: neither zero nor equal to those of another entry. */
  static byte[] bytes(long epoch, long index, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ((epoch * 31 + index * 7 + i) | 1);
    }
    return bytes;
  }

  static long append(GroupLog group, long epoch, long index, int length) throws IOException {
    long number = group.appendEntry(new Position(epoch, index), bytes(epoch, index, length), null);
    group.flush();
    return number;
  }

  /** Appends entries, each of them in a write of its own, as far as the writer keeps pace. */
  static void fill(GroupLog group, int entries, int length) throws IOException {
    for (int i = 0; i < entries; i++) {
      awaitDurable(group, append(group, 1, group.nextIndex(), length));
    }
  }

  /** Sets a state. */
  static long putVote(GroupLog group, String vote) throws IOException {
    long number = group.putState(0, text(vote));
    group.flush();
    return number;
  }

  static void awaitDurable(GroupLog group, long through) {
    await().until(() -> group.durable() >= through);
  }

  static List<String> entries(GroupLog group) throws IOException {
    List<String> found = new ArrayList<>();
    for (long index = group.lowWater(); index < group.nextIndex(); index++) {
      Position at = group.position(index).orElseThrow();
      byte[] bytes = group.entry(index).orElseThrow();
      found.add(at + "=" + Arrays.hashCode(bytes));
    }
    return found;
  }

  static List<String> events(GroupLog group) throws IOException {
    List<String> found = new ArrayList<>();
    group.events(
        group.lowWater(),
        Long.MAX_VALUE,
        (kind, at, bytes) -> found.add(kind + "@" + at + "=" + Arrays.hashCode(bytes)));
    return found;
  }

  /** Copies log and file beside it, as they are. */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(directory(to));
    Files.createDirectories(end(to));
    for (Path each : List.of(end(from), directory(from))) {
      try (Stream<Path> files = Files.list(each)) {
        for (Path file : files.toList()) {
          Files.copy(file, to.resolve(each.getFileName()).resolve(file.getFileName()));
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
