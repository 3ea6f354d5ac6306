package io.quorate.ratis.heartbeat;

import io.quorate.model.NodeId;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.leader.FollowerInfo;

/**
 * A follower of a group that this node leads, which has everything that the leader has.
 *
 * @param term the leader's
 * @param follower belongs to the leader of this term
 */
public record IdleFollower(RaftGroupId group, long term, NodeId node, FollowerInfo follower) {}
