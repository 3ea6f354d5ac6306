package io.quorate.server.node;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Guarantee;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A group of one node whose members and leader are what a test says: changes of members end when
 * the test completes them, and transfers of the leadership at once, without an effect.
 */
public final class HeldGroup implements ConsensusGroup, Membership, Leadership {
  public final List<CompletableFuture<Void>> changes = new ArrayList<>();
  public final List<NodeId> targets = new ArrayList<>();
  List<NodeId> members;
  private final ConsensusGroup group;
  private final List<List<Member>> requested = new ArrayList<>();

  public HeldGroup(ConsensusGroup group) {
    this.group = group;
    this.members = group.view().members().stream().map(Member::node).toList();
  }

  public List<List<NodeId>> requested() {
    return requested.stream().map(change -> change.stream().map(Member::node).toList()).toList();
  }

  public void complete(int change) {
    changes.get(change).complete(null);
  }

  @Override
  public CompletionStage<Void> change(List<Member> wanted, long epoch, long number) {
    requested.add(wanted);
    changes.add(new CompletableFuture<>());
    return changes.get(changes.size() - 1);
  }

  @Override
  public CompletionStage<Void> transferTo(NodeId target, Duration timeout) {
    targets.add(target);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    return type.isInstance(this) ? Optional.of(type.cast(this)) : group.control(type);
  }

  @Override
  public CompletionStage<ProposeResult> propose(Command command) {
    return group.propose(command);
  }

  @Override
  public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
    return group.readIndex(guarantee, scope);
  }

  @Override
  public GroupStatus view() {
    GroupStatus view = group.view();
    InetSocketAddress nowhere = InetSocketAddress.createUnresolved("localhost", 1);
    return new GroupStatus(
        view.epoch(),
        members.stream().map(node -> new Member(node, nowhere)).toList(),
        view.leader(),
        view.serving(),
        view.committed(),
        view.ended(),
        view.hibernating());
  }

  @Override
  public void close() {
    group.close();
  }
}
