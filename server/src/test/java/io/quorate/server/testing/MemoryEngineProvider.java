package io.quorate.server.testing;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.quorum.QuorumReads;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** An engine for groups of one member, for tests. It commits at once and persists nothing. */
public final class MemoryEngineProvider implements ConsensusEngineProvider {
  /** The maximum size of a command. */
  public static final int COMMAND_BYTES_MAX = 5 << 20;

  private final CompletableFuture<Void> released;

  public MemoryEngineProvider() {
    this(CompletableFuture.completedFuture(null));
  }

  /**
   * @param released proposals to data regions wait for its completion
   */
  public MemoryEngineProvider(CompletableFuture<Void> released) {
    this.released = released;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public Capabilities capabilities(EngineSettings settings) {
    settings.requireKnown(Set.of("leaderless", "lease-alone"));
    boolean leaderless = settings.bool("leaderless", false);
    Set<Class<? extends Guarantee>> guarantees =
        new HashSet<>(
            Set.of(Guarantee.Linearizable.class, Guarantee.AtLeast.class, Guarantee.Local.class));
    if (leaseOnly(settings)) {
      guarantees.add(Guarantee.LinearizableIfClocksBounded.class);
    }
    return new Capabilities(
        !leaderless,
        Integer.MAX_VALUE,
        guarantees,
        leaseOnly(settings) ? Optional.of(Duration.ofMillis(1)) : Optional.empty(),
        COMMAND_BYTES_MAX,
        leaderless ? Set.of(QuorumReads.class) : Set.of(),
        Map.of());
  }

  /** Whether leaders hold a lease, and reach no majority that confirms their leadership. */
  private static boolean leaseOnly(EngineSettings settings) {
    return settings.bool("lease-alone", false);
  }

  @Override
  public ConsensusEngine start(EngineContext host) throws IOException {
    Capabilities offered = capabilities(host.settings());
    ServerSocket listener = new ServerSocket();
    try {
      listener.bind(host.listen());
    } catch (IOException e) {
      listener.close();
      throw e;
    }
    return new Engine(host, offered, listener);
  }

  private final class Engine implements ConsensusEngine {
    private final EngineContext host;
    private final Capabilities offered;
    private final ServerSocket listener;
    private final Map<GroupId, ConsensusGroup> groups = new HashMap<>();

    Engine(EngineContext host, Capabilities offered, ServerSocket listener) {
      this.host = host;
      this.offered = offered;
      this.listener = listener;
    }

    @Override
    public Capabilities capabilities() {
      return offered;
    }

    @Override
    public synchronized ConsensusGroup open(GroupSpec spec, ReplicatedStateMachine machine)
        throws IOException {
      CompletableFuture<Void> hold =
          spec.group().value() == 0 ? CompletableFuture.completedFuture(null) : released;
      MemoryGroup group =
          new MemoryGroup(
              spec, host.self(), machine, hold, offered.hasLeader(), leaseOnly(host.settings()));
      groups.put(spec.group(), group);
      return group;
    }

    @Override
    public synchronized void remove(GroupId group) {
      ConsensusGroup removed = groups.remove(group);
      if (removed != null) {
        removed.close();
      }
    }

    @Override
    public synchronized void close() {
      groups.values().forEach(ConsensusGroup::close);
      try {
        listener.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
