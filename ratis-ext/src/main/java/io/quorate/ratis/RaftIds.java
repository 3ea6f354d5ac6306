package io.quorate.ratis;

import io.quorate.common.HostPort;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/** The ids and members of groups as Ratis represents them. */
final class RaftIds {
  private RaftIds() {}

  /** Replicas of another cluster have other group ids, so their messages are not accepted. */
  static RaftGroupId groupId(UUID cluster, GroupId group) {
    String name = cluster + "/" + group;
    return RaftGroupId.valueOf(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  static RaftGroup group(GroupSpec spec) {
    return RaftGroup.valueOf(groupId(spec.cluster(), spec.group()), peers(spec.members()));
  }

  /**
   * All have the same priority: Ratis lets only the replica with the highest one take over, and
   * would force it to.
   */
  static List<RaftPeer> peers(List<Member> members) {
    return members.stream().map(RaftIds::peer).toList();
  }

  private static RaftPeer peer(Member member) {
    return RaftPeer.newBuilder()
        .setId(peerId(member.node()))
        .setAddress(HostPort.text(member.address()))
        .build();
  }

  static Member member(RaftPeer peer) {
    return new Member(node(peer.getId()), HostPort.parse(peer.getAddress()).unresolved());
  }

  static RaftPeerId peerId(NodeId node) {
    return RaftPeerId.valueOf(node.value());
  }

  static NodeId node(RaftPeerId peer) {
    return new NodeId(peer.toString());
  }
}
