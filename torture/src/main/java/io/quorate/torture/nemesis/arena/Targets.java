package io.quorate.torture.nemesis.arena;

import io.quorate.server.localcluster.NodeProcess;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Which of the running nodes a fault affects. */
public enum Targets {
  ONE {
    @Override
    public List<NodeProcess> choose(Arena arena, Random random) {
      return Arena.shuffled(arena.running(), random).stream().limit(1).toList();
    }
  },
  LEADER {
    @Override
    public List<NodeProcess> choose(Arena arena, Random random) {
      return arena.leaderOrAny(random).stream().toList();
    }
  },
  /** One node, a leader in half of the cases. */
  LEADER_OR_ONE {
    @Override
    public List<NodeProcess> choose(Arena arena, Random random) {
      return (random.nextBoolean() ? LEADER : ONE).choose(arena, random);
    }
  },
  /** As many nodes as may fail while a majority remains, and at least one. */
  MINORITY {
    @Override
    public List<NodeProcess> choose(Arena arena, Random random) {
      int minority = Math.max(1, (arena.cluster().nodes().size() - 1) / 2);
      return Arena.shuffled(arena.running(), random).stream().limit(minority).toList();
    }
  },
  MAJORITY {
    @Override
    public List<NodeProcess> choose(Arena arena, Random random) {
      int majority = arena.cluster().nodes().size() / 2 + 1;
      return Arena.shuffled(arena.running(), random).stream().limit(majority).toList();
    }
  },
  ALL {
    @Override
    public List<NodeProcess> choose(Arena arena, Random random) {
      return arena.running();
    }
  };

  /** Selects nodes; fewer, or none, if not enough run. */
  public abstract List<NodeProcess> choose(Arena arena, Random random);

  public static String names(List<NodeProcess> nodes) {
    return nodes.stream().map(node -> node.plan().id().value()).collect(Collectors.joining(", "));
  }
}
