package io.quorate.server.verification.nemesis;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.network.Cut;
import io.quorate.server.verification.network.Link;
import io.quorate.server.verification.network.Network;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Lets a leader hear its clients and not answer them, then breaks their connections: what it was
 * asked is done, and asked again, of it or of another node.
 */
final class LostReplies implements Nemesis {
  @Override
  public String name() {
    return "lost-replies";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return Network.obstacle();
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random) {
    Optional<NodeProcess> leader = arena.leaderOrAny(random);
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    NodeId id = leader.get().plan().id();
    Cut cut = new Cut(Set.of(new Link(id, Link.CLIENTS)), Cut.Manner.HELD);
    arena.network().cut(cut);
    return Optional.of(
        new Fault(
            "lost the replies of " + id,
            () -> {
              arena.network().reset(cut.links());
              arena.network().mend(cut);
            }));
  }
}
