package io.quorate.ratis;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.util.NetUtils;

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
        .setAddress(member.address().getHostString() + ":" + member.address().getPort())
        .build();
  }

  static Member member(RaftPeer peer) {
    InetSocketAddress address = NetUtils.createSocketAddr(peer.getAddress());
    return new Member(
        node(peer.getId()),
        InetSocketAddress.createUnresolved(address.getHostString(), address.getPort()));
  }

  static RaftPeerId peerId(NodeId node) {
    return RaftPeerId.valueOf(node.value());
  }

  static NodeId node(RaftPeerId peer) {
    return new NodeId(peer.toString());
  }
}
