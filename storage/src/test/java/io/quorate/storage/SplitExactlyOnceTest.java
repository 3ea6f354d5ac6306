package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients add to counters and append to texts while regions split, responses are lost, requests are
 * repeated and delayed, and the node crashes. Every write takes effect once, and none is forgotten.
 * Every test name contains its seed.
 */
class SplitExactlyOnceTest {
  private static final int STEPS = 1_500;
  private static final int CLIENTS = 4;
  private static final int KEYS = 40;
  private static final int SPLITS_OF_MANY_SCHEDULES = 1_000;
  private static final GroupId FIRST = new GroupId(1);

  @TempDir Path directory;

  /** Fixed seeds, and one that is new in each run. */
  static List<Long> seeds() {
    return List.of(1L, 2L, System.nanoTime());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyWriteTakesEffectOnce(long seed) throws IOException {
    new Schedule(seed, TestRegion.OPTIONS).run();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyWriteTakesEffectOnceAheadOfTheApplier(long seed) throws IOException {
    new Schedule(
            seed, TestRegion.OPTIONS.toBuilder().replyAtCommit(true).readAcceleration(true).build())
        .run();
  }

  @Test
  @Tag("slow")
  void sumsAreExactThroughAThousandSplits() throws IOException {
    int splits = 0;
    for (long seed = 100; splits < SPLITS_OF_MANY_SCHEDULES; seed++) {
      Schedule schedule = new Schedule(seed, TestRegion.OPTIONS);
      schedule.run();
      splits += schedule.logs.size() - 1;
    }
  }

  /** A write that its client repeats until it has a result. */
  private record Write(long sequence, Operation.OnKey operation) {}

  private static final class Client {
    final ClientId id;
    final TreeMap<Long, Write> outstanding = new TreeMap<>();
    final List<ClientCommand> sent = new ArrayList<>();

    /** The regions by their first keys, as the client has learnt them. */
    TreeMap<Key, GroupId> regions = new TreeMap<>(Map.of(Key.EMPTY, FIRST));

    long last;

    Client(int number) {
      id = new ClientId(9, number);
    }

    /** The lowest outstanding sequence is the floor, in whatever region. */
    ClientCommand command(Write write) {
      return new ClientCommand(
          new RequestId(id, write.sequence(), outstanding.firstKey()), write.operation());
    }
  }

  private final class Schedule {
    private final String name;
    private final Random random;
    private final StorageOptions options;
    private final List<Client> clients = new ArrayList<>();

    /** The logs of all groups, parents before their children. */
    private final Map<GroupId, List<List<ClientCommand>>> logs = new LinkedHashMap<>();

    private final Map<GroupId, RegionLog> open = new LinkedHashMap<>();
    private final TreeMap<Key, GroupId> regions = new TreeMap<>(Map.of(Key.EMPTY, FIRST));

    /** The last split of each region. */
    private final Map<GroupId, Operation.Split> splits = new LinkedHashMap<>();

    private final Map<Key, Long> expectedSums = new TreeMap<>();
    private final Map<Key, List<String>> expectedTexts = new TreeMap<>();
    private Path home;
    private int life;
    private Storage storage;

    Schedule(long seed, StorageOptions options) {
      this.name = "seed " + seed;
      this.home = directory.resolve(name + "-life-0");
      this.random = new Random(seed);
      this.options = options;
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(new Client(i));
      }
      logs.put(FIRST, new ArrayList<>());
    }

    void run() throws IOException {
      try {
        openAll();
        for (int i = 0; i < STEPS; i++) {
          step();
        }
        complete();
        assertThat(logs).as(name).hasSizeGreaterThan(5);
        checkRows();
        crash();
        checkRows();
      } finally {
        storage.close();
      }
    }

    private void step() throws IOException {
      Client client = clients.get(random.nextInt(CLIENTS));
      switch (random.nextInt(20)) {
        case 0 -> split();
        case 1 -> repeatSplit();
        case 2 -> openChildren();
        case 3 -> repeatOld(client);
        case 4 -> {
          if (random.nextInt(8) == 0) {
            crash();
          }
        }
        case 5, 6, 7, 8, 9 -> begin(client);
        default -> send(client, random.nextInt(3) == 0);
      }
    }

    private void begin(Client client) {
      if (client.outstanding.size() < 8) {
        long sequence = ++client.last;
        client.outstanding.put(sequence, new Write(sequence, operation(client, sequence)));
      }
    }

    private Operation.OnKey operation(Client client, long sequence) {
      int number = random.nextInt(KEYS);
      Key key = key(number);
      if (number % 2 == 0) {
        expectedSums.merge(key, 1L, Long::sum);
        return random.nextBoolean()
            ? new Operation.IncrementAndGet(key, 1)
            : new Operation.Increment(key, 1);
      }
      String token = "<" + client.id.low() + ":" + sequence + ">";
      expectedTexts.computeIfAbsent(key, any -> new ArrayList<>()).add(token);
      return new Operation.Append(key, TestRegion.bytes(token));
    }

    private static Key key(int number) {
      return Key.utf8(String.format("k%02d", number));
    }

    /** Sends an outstanding write to the region that the client takes for that of the key. */
    private void send(Client client, boolean isLost) throws IOException {
      List<Write> writes = List.copyOf(client.outstanding.values());
      if (writes.isEmpty()) {
        return;
      }
      Write write = writes.get(random.nextInt(writes.size()));
      ClientCommand command = client.command(write);
      client.sent.add(command);
      RegionLog region = open.get(client.regions.floorEntry(write.operation().key()).getValue());
      if (region == null) {
        client.regions = new TreeMap<>(regions);
        return;
      }
      Result result = commit(region, command);
      if (isLost) {
        return;
      }
      if (result.equals(Result.OUT_OF_RANGE)) {
        client.regions = new TreeMap<>(regions);
        return;
      }
      assertThat(result).as(name + ", " + command).isNotInstanceOf(Result.Forgotten.class);
      assertThat(result).as(name + ", " + command).isNotInstanceOf(Result.Refused.class);
      client.outstanding.remove(write.sequence());
    }

    /** A copy of a request arrives late, at any region; its result is lost. */
    private void repeatOld(Client client) throws IOException {
      if (!client.sent.isEmpty()) {
        ClientCommand old = client.sent.get(random.nextInt(client.sent.size()));
        List<RegionLog> all = List.copyOf(open.values());
        commit(all.get(random.nextInt(all.size())), old);
      }
    }

    private void split() {
      Key at = key(random.nextInt(KEYS));
      Map.Entry<Key, GroupId> whole = regions.floorEntry(at);
      RegionLog region = open.get(whole.getValue());
      if (whole.getKey().equals(at) || region == null) {
        return;
      }
      GroupId child = new GroupId(100 + logs.size());
      Operation.Split split = new Operation.Split(at, child);
      assertThat(commit(region, TestRegion.untagged(split))).as(name).isEqualTo(Result.DONE);
      splits.put(whole.getValue(), split);
      logs.put(child, new ArrayList<>());
      regions.put(at, child);
    }

    /** A proposal of the last split of a region arrives late. */
    private void repeatSplit() {
      splits.forEach(
          (parent, split) -> {
            if (open.containsKey(parent) && random.nextInt(4) == 0) {
              assertThat(commit(open.get(parent), TestRegion.untagged(split)))
                  .as(name)
                  .isEqualTo(Result.DONE);
            }
          });
    }

    private Result commit(RegionLog region, ClientCommand command) {
      List<List<ClientCommand>> log = logs.get(region.store.group());
      log.add(List.of(command));
      return TestRegion.results(region.commitAt(log.size() - 1L, List.of(command))).get(0);
    }

    private void openAll() throws IOException {
      storage =
          Storage.open(home, options, MetricsSink.NONE, StorageListener.NONE, RequestId.WINDOW);
      open(storage.region(FIRST, KeyRange.ALL, Keyspace.DATA));
      openChildren();
    }

    /** Opens those that the storage reports, as a server does. */
    private void openChildren() throws IOException {
      boolean isComplete = false;
      while (!isComplete) {
        isComplete = true;
        for (GroupId child : storage.children().keySet()) {
          if (!open.containsKey(child)) {
            open(storage.region(child, Keyspace.DATA));
            isComplete = false;
          }
        }
      }
    }

    /** Opens a region, to which its log delivers what the state does not have. */
    private void open(RegionStore store) throws IOException {
      RegionLog region = new RegionLog(store);
      open.put(store.group(), region);
      List<List<ClientCommand>> log = logs.get(store.group());
      for (int i = (int) store.applied().index() + 1; i < log.size(); i++) {
        TestRegion.results(region.commitAt(i, log.get(i)));
      }
    }

    private void crash() throws IOException {
      if (random.nextBoolean()) {
        open.get(FIRST).store.flush().toCompletableFuture().join();
      }
      Path next = directory.resolve(name + "-life-" + ++life);
      CrashCopy.take(storage, home, next);
      storage.close();
      List<GroupId> openBefore = List.copyOf(open.keySet());
      open.clear();
      home = next;
      openAll();
      assertThat(open.keySet()).as(name).containsAll(openBefore);
    }

    private void complete() throws IOException {
      openChildren();
      for (Client client : clients) {
        while (!client.outstanding.isEmpty()) {
          send(client, false);
        }
      }
    }

    private void checkRows() {
      regions.forEach(
          (start, group) -> {
            Optional<Key> end = Optional.ofNullable(regions.higherKey(start));
            assertThat(open.get(group).store.range()).as(name).isEqualTo(new KeyRange(start, end));
          });
      Map<String, String> rows = new TreeMap<>();
      open.values().forEach(region -> rows.putAll(TestRegion.rows(region.store)));
      expectedSums.forEach(
          (key, sum) -> assertThat(rows.get(text(key))).as(name + key).isEqualTo(sum.toString()));
      expectedTexts.forEach(
          (key, tokens) ->
              assertThat(rows.get(text(key)).split("(?<=>)"))
                  .as(name + key)
                  .containsExactlyInAnyOrderElementsOf(tokens));
    }

    private static String text(Key key) {
      return new String(key.bytes(), StandardCharsets.UTF_8);
    }
  }
}
