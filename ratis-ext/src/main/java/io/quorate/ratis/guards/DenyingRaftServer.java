package io.quorate.ratis.guards;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.GroupInfoReply;
import org.apache.ratis.protocol.GroupInfoRequest;
import org.apache.ratis.protocol.GroupListReply;
import org.apache.ratis.protocol.GroupListRequest;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.LeaderElectionManagementRequest;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.DataStreamServerRpc;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.util.LifeCycle;

/**
 * A Raft server that rejects every call. A class that receives requests for another server extends
 * it by the calls that it passes on, so that what nobody has thought of, or what a later Ratis
 * adds, does not reach the server unchecked.
 */
abstract class DenyingRaftServer implements RaftServer {

  private static UnsupportedOperationException denied(String call) {
    return new UnsupportedOperationException(
        "The call " + call + " does not pass to Ratis: see GuardedRaftServer.");
  }

  // Between servers.

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    throw denied("appendEntries");
  }

  @Override
  public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
      AppendEntriesRequestProto request) throws IOException {
    throw denied("appendEntriesAsync");
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    throw denied("requestVote");
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    throw denied("startLeaderElection");
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    throw denied("installSnapshot");
  }

  @Override
  public CompletableFuture<ReadIndexReplyProto> readIndexAsync(ReadIndexRequestProto request) {
    throw denied("readIndexAsync");
  }

  // Of clients.

  @Override
  public RaftClientReply submitClientRequest(RaftClientRequest request) {
    throw denied("submitClientRequest");
  }

  @Override
  public CompletableFuture<RaftClientReply> submitClientRequestAsync(RaftClientRequest request) {
    throw denied("submitClientRequestAsync");
  }

  // Of administrators.

  @Override
  public GroupListReply getGroupList(GroupListRequest request) {
    throw denied("getGroupList");
  }

  @Override
  public CompletableFuture<GroupListReply> getGroupListAsync(GroupListRequest request) {
    throw denied("getGroupListAsync");
  }

  @Override
  public GroupInfoReply getGroupInfo(GroupInfoRequest request) {
    throw denied("getGroupInfo");
  }

  @Override
  public CompletableFuture<GroupInfoReply> getGroupInfoAsync(GroupInfoRequest request) {
    throw denied("getGroupInfoAsync");
  }

  @Override
  public RaftClientReply groupManagement(GroupManagementRequest request) {
    throw denied("groupManagement");
  }

  @Override
  public CompletableFuture<RaftClientReply> groupManagementAsync(GroupManagementRequest request) {
    throw denied("groupManagementAsync");
  }

  @Override
  public RaftClientReply snapshotManagement(SnapshotManagementRequest request) {
    throw denied("snapshotManagement");
  }

  @Override
  public CompletableFuture<RaftClientReply> snapshotManagementAsync(
      SnapshotManagementRequest request) {
    throw denied("snapshotManagementAsync");
  }

  @Override
  public RaftClientReply leaderElectionManagement(LeaderElectionManagementRequest request) {
    throw denied("leaderElectionManagement");
  }

  @Override
  public CompletableFuture<RaftClientReply> leaderElectionManagementAsync(
      LeaderElectionManagementRequest request) {
    throw denied("leaderElectionManagementAsync");
  }

  @Override
  public RaftClientReply setConfiguration(SetConfigurationRequest request) {
    throw denied("setConfiguration");
  }

  @Override
  public CompletableFuture<RaftClientReply> setConfigurationAsync(SetConfigurationRequest request) {
    throw denied("setConfigurationAsync");
  }

  @Override
  public RaftClientReply transferLeadership(TransferLeadershipRequest request) {
    throw denied("transferLeadership");
  }

  @Override
  public CompletableFuture<RaftClientReply> transferLeadershipAsync(
      TransferLeadershipRequest request) {
    throw denied("transferLeadershipAsync");
  }

  // Of the server itself.

  @Override
  public RaftPeerId getId() {
    throw denied("getId");
  }

  @Override
  public RaftPeer getPeer() {
    throw denied("getPeer");
  }

  @Override
  public Iterable<RaftGroupId> getGroupIds() {
    throw denied("getGroupIds");
  }

  @Override
  public Iterable<RaftGroup> getGroups() {
    throw denied("getGroups");
  }

  @Override
  public RaftServer.Division getDivision(RaftGroupId group) throws IOException {
    throw denied("getDivision");
  }

  @Override
  public RaftProperties getProperties() {
    throw denied("getProperties");
  }

  @Override
  public RaftServerRpc getServerRpc() {
    throw denied("getServerRpc");
  }

  @Override
  public DataStreamServerRpc getDataStreamServerRpc() {
    throw denied("getDataStreamServerRpc");
  }

  @Override
  public RpcType getRpcType() {
    throw denied("getRpcType");
  }

  @Override
  public ServerFactory getFactory() {
    throw denied("getFactory");
  }

  @Override
  public void start() {
    throw denied("start");
  }

  @Override
  public LifeCycle.State getLifeCycleState() {
    throw denied("getLifeCycleState");
  }

  @Override
  public void close() {
    throw denied("close");
  }
}
