package io.quorate.ratis.hibernation;

import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The controls of a group that is being woken: every call fails, and is to be repeated. */
final class WakingControls {
  private static final List<GroupControl> ALL =
      List.of(new Transfers(), new Changes(), new Reads(), new Replies());

  private WakingControls() {}

  static <T extends GroupControl> Optional<T> find(Class<T> type) {
    return ALL.stream().filter(type::isInstance).findFirst().map(type::cast);
  }

  private static <T> CompletionStage<T> unavailable() {
    return CompletableFuture.failedFuture(HibernatingGroup.waking());
  }

  private static final class Transfers implements Leadership {
    @Override
    public CompletionStage<Void> transferTo(NodeId target, Duration timeout) {
      return unavailable();
    }
  }

  private static final class Changes implements Membership {
    @Override
    public CompletionStage<Void> change(List<Member> members, long epoch, long number) {
      return unavailable();
    }
  }

  private static final class Reads implements FollowerReads {
    @Override
    public CompletionStage<Position> readIndex() {
      return unavailable();
    }
  }

  private static final class Replies implements QuorumReads {
    @Override
    public CompletionStage<ReadReply<Void>> reply(KeyScope scope, Position atLeast) {
      return unavailable();
    }

    @Override
    public CompletionStage<Position> readIndex(KeyScope scope, QuorumRule rule) {
      return unavailable();
    }
  }
}
