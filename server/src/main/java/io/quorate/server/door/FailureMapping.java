package io.quorate.server.door;

import io.quorate.client.wire.Status;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Failures;
import io.quorate.operation.MalformedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a client is told about a failure. */
final class FailureMapping {
  private static final Logger LOG = LoggerFactory.getLogger(FailureMapping.class);

  private FailureMapping() {}

  /** Never throws. A failure that nobody foresaw is logged with its stack trace. */
  static Refusal refusal(Throwable wrapped) {
    Throwable failure = Failures.unwrap(wrapped);
    if (failure instanceof Refusal refusal) {
      return refusal;
    } else if (failure instanceof MalformedException malformed) {
      return Refusal.invalid(malformed.getMessage());
    } else if (failure instanceof ConsensusException consensus) {
      return refusal(consensus);
    }
    LOG.atError().setCause(failure).log("A request failed in a way nobody foresaw");
    return Refusal.of(Status.INTERNAL, "The server failed: " + failure);
  }

  private static Refusal refusal(ConsensusException failure) {
    if (failure instanceof ConsensusException.Redirect redirect) {
      return Refusal.notLeader(redirect.getMessage(), redirect.leader());
    } else if (failure instanceof ConsensusException.Overloaded overloaded) {
      return Refusal.overloaded(overloaded.getMessage(), overloaded.retryAfter());
    } else if (failure instanceof ConsensusException.Unavailable) {
      return Refusal.unavailable(failure.getMessage());
    } else if (failure instanceof ConsensusException.Indeterminate) {
      return Refusal.of(Status.INDETERMINATE, failure.getMessage());
    } else if (failure instanceof ConsensusException.Invalid) {
      return Refusal.invalid(failure.getMessage());
    }
    return Refusal.of(Status.INTERNAL, failure.getMessage());
  }
}
