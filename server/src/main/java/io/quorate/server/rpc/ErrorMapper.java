package io.quorate.server.rpc;

import io.quorate.client.wire.Status;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Failures;
import io.quorate.operation.DecodeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps a failure to the rejection that is sent to the client. */
final class ErrorMapper {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorMapper.class);

  private ErrorMapper() {}

  /** Never throws. An unexpected failure is logged with its stack trace. */
  static RequestRejected toRejection(Throwable wrapped) {
    Throwable failure = Failures.unwrap(wrapped);
    if (failure instanceof RequestRejected rejection) {
      return rejection;
    } else if (failure instanceof DecodeException malformed) {
      return RequestRejected.invalid(malformed.getMessage());
    } else if (failure instanceof ConsensusException consensus) {
      return toRejection(consensus);
    }
    LOG.atError().setCause(failure).log("A request failed unexpectedly");
    return RequestRejected.of(Status.INTERNAL, "The server failed: " + failure);
  }

  private static RequestRejected toRejection(ConsensusException failure) {
    if (failure instanceof ConsensusException.Redirect redirect) {
      return RequestRejected.notLeader(redirect.getMessage(), redirect.leader());
    } else if (failure instanceof ConsensusException.Overloaded overloaded) {
      return RequestRejected.overloaded(overloaded.getMessage(), overloaded.retryAfter());
    } else if (failure instanceof ConsensusException.Unavailable) {
      return RequestRejected.unavailable(failure.getMessage());
    } else if (failure instanceof ConsensusException.Indeterminate) {
      return RequestRejected.of(Status.INDETERMINATE, failure.getMessage());
    } else if (failure instanceof ConsensusException.Invalid) {
      return RequestRejected.invalid(failure.getMessage());
    }
    return RequestRejected.of(Status.INTERNAL, failure.getMessage());
  }
}
