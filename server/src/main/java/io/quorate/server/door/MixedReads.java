package io.quorate.server.door;

import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupView;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.ReadMix;
import java.util.concurrent.CompletionStage;

/**
 * Sends some reads to the leader and the others to a quorum. A replica that leads asks nobody else
 * either way, so what it measures says nothing about the followers' choice; it does not count.
 */
final class MixedReads implements LinearizableReads {
  private final ReadMix mix;
  private final LinearizableReads leader;
  private final LinearizableReads majority;

  MixedReads(ReadMix mix, LinearizableReads leader, LinearizableReads majority) {
    this.mix = mix;
    this.leader = leader;
    this.majority = majority;
  }

  @Override
  public CompletionStage<Position> readPoint(
      ConsensusGroup group, Guarantee asked, KeyScope scope) {
    GroupView view = group.view();
    if (view.serving()) {
      return leader.readPoint(group, asked, scope);
    }
    ReadMix.Way way = mix.next(Math.max(1, view.members().size()));
    long begunNanos = System.nanoTime();
    CompletionStage<Position> point =
        (way == ReadMix.Way.LEADER ? leader : majority).readPoint(group, asked, scope);
    point.whenComplete((at, failure) -> mix.took(way, System.nanoTime() - begunNanos));
    return point;
  }
}
