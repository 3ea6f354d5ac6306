package io.quorate.server.rpc;

import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Guarantee;
import io.quorate.model.Position;
import io.quorate.quorum.ReadBalancer;
import java.util.concurrent.CompletionStage;

/**
 * Divides reads between the leader and a quorum. On the leader itself every read takes the leader
 * path and its time is not reported to the balancer: it is no measure for the choice of a follower.
 */
final class BalancedReads implements ReadStrategy {
  private final ReadBalancer balancer;
  private final ReadStrategy leader;
  private final ReadStrategy quorum;

  BalancedReads(ReadBalancer balancer, ReadStrategy leader, ReadStrategy quorum) {
    this.balancer = balancer;
    this.leader = leader;
    this.quorum = quorum;
  }

  @Override
  public CompletionStage<Position> readIndex(
      ConsensusGroup group, Guarantee guarantee, KeyScope scope) {
    GroupStatus view = group.view();
    if (view.serving()) {
      return leader.readIndex(group, guarantee, scope);
    }
    ReadBalancer.Way path = balancer.next(Math.max(1, view.members().size()));
    long startNanos = System.nanoTime();
    CompletionStage<Position> readIndex =
        (path == ReadBalancer.Way.LEADER ? leader : quorum).readIndex(group, guarantee, scope);
    readIndex.whenComplete(
        (position, failure) -> balancer.took(path, System.nanoTime() - startNanos));
    return readIndex;
  }
}
