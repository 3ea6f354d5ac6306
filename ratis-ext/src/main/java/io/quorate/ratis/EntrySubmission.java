package io.quorate.ratis;

import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.replication.threads.SharedLoops;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.server.RaftServer;

/** Submits the entries of one replica to Ratis. */
final class EntrySubmission implements Proposer.Submit {
  private final GroupId region;
  private final Supplier<RaftServer.Division> division;
  private final SharedLoops appenders;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  /**
   * @param division of this replica; present before the first entry, because only a replica that
   *     leads proposes
   * @param appenders whose steps for an entry follow its submission on the same thread
   */
  EntrySubmission(GroupId region, Supplier<RaftServer.Division> division, SharedLoops appenders) {
    this.region = region;
    this.division = division;
    this.appenders = appenders;
  }

  @Override
  public CompletableFuture<Optional<ConsensusException>> apply(PendingEntry entry) {
    RaftServer.Division leader = division.get();
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(self)
            .setServerId(leader.getId())
            .setGroupId(leader.getMemberId().getGroupId())
            .setCallId(calls.incrementAndGet())
            .setMessage(entry)
            .setType(RaftClientRequest.writeRequestType())
            .build();
    RaftPoints.BEFORE_PROPOSE.passed(region);
    CompletableFuture<RaftClientReply> reply =
        appenders.runningSteps(() -> submit((RaftClientAsynchronousProtocol) leader, request));
    RaftPoints.AFTER_PROPOSE.passed(region);
    return reply.handle(
        (response, failure) -> {
          Throwable cause = failure == null ? response.getException() : Failures.unwrap(failure);
          return Optional.ofNullable(cause)
              .map(exception -> ProposalFailure.classify(exception, entry.mayBeInLog()));
        });
  }

  private static CompletableFuture<RaftClientReply> submit(
      RaftClientAsynchronousProtocol leader, RaftClientRequest request) {
    try {
      return leader.submitClientRequestAsync(request);
    } catch (IOException | RuntimeException e) {
      // Ratis throws various exceptions once its log is closed.
      return CompletableFuture.failedFuture(e);
    }
  }
}
