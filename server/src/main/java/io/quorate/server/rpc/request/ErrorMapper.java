package io.quorate.server.rpc.request;

import io.quorate.common.DecodeException;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.consensus.ConsensusException;
import io.quorate.protocol.wire.Status;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps a failure to the rejection that is sent to the client. */
public final class ErrorMapper {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorMapper.class);

  private static final LogLimit UNEXPECTED = new LogLimit();

  private ErrorMapper() {}

  /** Never throws. An unexpected failure is logged with its stack trace. */
  public static RequestRejected toRejection(Throwable wrapped) {
    Throwable failure = Failures.unwrap(wrapped);
    if (failure instanceof RequestRejected rejection) {
      return rejection;
    } else if (failure instanceof DecodeException malformed) {
      return RequestRejected.invalid(malformed.getMessage());
    } else if (failure instanceof ConsensusException consensus) {
      return toRejection(consensus);
    } else if (failure instanceof RejectedExecutionException) {
      return RequestRejected.unavailable("This node has too much to do, or is stopping.");
    }
    UNEXPECTED.log(
        leftOut ->
            LOG.atError()
                .setCause(failure)
                .log("A request failed unexpectedly{}", LogLimit.text(leftOut)));
    return RequestRejected.of(Status.INTERNAL, "The server failed: " + failure);
  }

  private static RequestRejected toRejection(ConsensusException failure) {
    String message = failure.getMessage();
    return switch (failure.kind()) {
      case REDIRECT ->
          RequestRejected.notLeader(message, ((ConsensusException.Redirect) failure).leader());
      case OVERLOADED ->
          RequestRejected.overloaded(
              message, ((ConsensusException.Overloaded) failure).retryAfter());
      case UNAVAILABLE -> RequestRejected.unavailable(message);
      case INDETERMINATE -> RequestRejected.of(Status.INDETERMINATE, message);
      case INVALID -> RequestRejected.invalid(message);
      case FATAL -> RequestRejected.of(Status.INTERNAL, message);
    };
  }
}
