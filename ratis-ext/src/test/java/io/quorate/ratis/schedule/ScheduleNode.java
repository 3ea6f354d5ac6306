package io.quorate.ratis.schedule;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.Member;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.contract.RecordedReplicas;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.ratis.RatisEngineProvider;
import io.quorate.storage.MemtableLoss;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A node that can be killed and started again. Started and killed by one thread at a time. */
final class ScheduleNode {
  private static final StorageOptions STORAGE =
      StorageOptions.DEFAULT.toBuilder()
          .bodies(true)
          .flushInterval(Duration.ofMillis(150))
          .bodySweepInterval(Duration.ofMillis(200))
          .build();

  /** What runs between a start and a kill. */
  record Running(
      Storage storage,
      RegionStore store,
      ConsensusEngine engine,
      ConsensusGroup group,
      CompletableFuture<Void> ended) {
    BodyReplication bodies() {
      return group.control(BodyReplication.class).orElseThrow();
    }

    BodyStorage bodyStore() {
      return storage.bodies().orElseThrow();
    }
  }

  private final NodeId id;
  private final GroupSpec spec;
  private final EngineSettings settings;
  private final Path directory;
  private final FaultPoints faults;
  private final Consumer<String> problems;
  private volatile Optional<Running> running = Optional.empty();
  private volatile long bodyDelayMillis;
  private final RecordedReplicas begun = new RecordedReplicas();

  ScheduleNode(
      NodeId id,
      GroupSpec spec,
      EngineSettings settings,
      Path directory,
      FaultPoints faults,
      Consumer<String> problems) {
    this.id = id;
    this.spec = spec;
    this.settings = settings;
    this.directory = directory;
    this.faults = faults;
    this.problems = problems;
  }

  NodeId id() {
    return id;
  }

  /** Empty while the node is down. */
  Optional<Running> running() {
    return running;
  }

  boolean isServing() {
    return running.filter(node -> node.group().view().serving()).isPresent();
  }

  /** Each write to the body store is reported so much later. */
  void delayBodies(long millis) {
    bodyDelayMillis = millis;
  }

  /** Starts the node. Its storage is opened by a thread whose group has the name of the node. */
  void start() {
    CompletableFuture<Running> started = new CompletableFuture<>();
    faults.begins(id);
    new Thread(
            new ThreadGroup(id.value()),
            () -> {
              try {
                started.complete(open());
              } catch (IOException | RuntimeException e) {
                started.completeExceptionally(e);
              }
            })
        .start();
    running = Optional.of(started.join());
  }

  private Running open() throws IOException {
    Storage storage = Storage.open(directory.resolve("storage"), STORAGE, MetricsSink.NONE);
    RegionStore store = storage.region(spec.group(), KeyRange.ALL, Keyspace.DATA);
    Member self =
        spec.members().stream()
            .filter(member -> member.node().equals(id))
            .findFirst()
            .orElseThrow();
    BodyStorage bodies = new DelayedBodies(storage.bodies().orElseThrow(), () -> bodyDelayMillis);
    ConsensusEngine engine =
        new RatisEngineProvider()
            .start(
                new EngineContext(
                    spec.cluster(),
                    id,
                    self.address(),
                    new KnownNodes(
                        node ->
                            spec.members().stream()
                                .filter(member -> member.node().equals(node))
                                .map(Member::address)
                                .toList(),
                        NodeDisks.unregistered()),
                    Files.createDirectories(directory.resolve("consensus")),
                    settings,
                    MetricsSink.NONE,
                    Optional.of(bodies),
                    begun,
                    fatal -> problems.accept(id + " failed: " + fatal)));
    return new Running(storage, store, engine, engine.open(spec, store), new CompletableFuture<>());
  }

  /** Ends the node: nothing more leaves it, and rows that were not flushed are lost. */
  void kill() {
    Running killed = running.orElseThrow();
    faults.ends(id);
    running = Optional.empty();
    MemtableLoss.atClose(killed.storage());
    killed.engine().close();
    killed.storage().close();
    killed.ended().complete(null);
  }

  /** Ends the node in order. */
  void close() {
    running.ifPresent(
        node -> {
          node.engine().close();
          node.storage().close();
        });
    running = Optional.empty();
  }
}
