package io.quorate.ratis.read;

import io.quorate.replication.threads.SharedLoops;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log appender for one follower in one term as leader: it requests lease grants, records the
 * term in which it sends, and sends nothing while the leader is silent.
 */
final class ConfirmingAppender extends PacedLogAppender {
  private static final Logger LOG = LoggerFactory.getLogger(ConfirmingAppender.class);

  private final Leadership ownTerm;
  private final Duration grant;
  private final BooleanSupplier requestsGrants;

  /**
   * @param state through which the responses are counted
   * @param grant how long a voter's lease grant lasts
   * @param requestsGrants whether the next message requests a lease grant
   */
  ConfirmingAppender(
      RaftServer.Division division,
      Leadership ownTerm,
      ObservedLeaderState state,
      FollowerInfo follower,
      SharedLoops threads,
      Duration grant,
      BooleanSupplier requestsGrants) {
    super(division, state, follower, threads);
    this.ownTerm = ownTerm;
    this.grant = grant;
    this.requestsGrants = requestsGrants;
  }

  @Override
  protected void acknowledgedEntriesLost(long next, long matched) {
    if (ownTerm.lost.add(getFollowerId())) {
      LOG.error(
          "A replica has lost entries that it had acknowledged; it is replaced if the others are a"
              + " majority, otherwise replace its node with \"node replace\" node={} region={}"
              + " acknowledged={} next={}",
          getFollowerId(),
          getServer().getMemberId().getGroupId(),
          matched,
          next);
    }
  }

  @Override
  public boolean shouldSendAppendEntries() {
    return !ownTerm.isSilent && super.shouldSendAppendEntries();
  }

  @Override
  public TermIndex shouldNotifyToInstallSnapshot() {
    return ownTerm.isSilent ? null : super.shouldNotifyToInstallSnapshot();
  }

  @Override
  protected long getWaitTimeMs() {
    return ownTerm.isSilent ? PAUSE_MILLIS : super.getWaitTimeMs();
  }

  @Override
  public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat)
      throws RaftLogIOException {
    if (ownTerm.isSilent) {
      return null;
    }
    AppendEntriesRequestProto request = super.newAppendEntriesRequest(callId, heartbeat);
    if (request != null) {
      ownTerm.term = request.getLeaderTerm();
    }
    return request == null || !requestsGrants.getAsBoolean()
        ? request
        : LeaseRequest.in(request, grant);
  }
}
