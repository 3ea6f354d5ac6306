package io.quorate.client;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.Optional;

/**
 * A call that has ended.
 *
 * @param operation what the call does
 * @param time the time from the start of the call to its end, including all attempts and pauses
 * @param attempts the number of attempts, including those for which no request could be sent; 0 if
 *     the call ended before its first attempt, and if it neither reads nor writes keys
 * @param retries the number of attempts beyond the first of each request: a scan of several pages
 *     has several requests
 * @param region the region whose response ended the call, or to which the last attempt was made;
 *     empty if there was no attempt
 * @param node the node whose response ended the call, or to which the last attempt was made; empty
 *     if there was no attempt, or if that was a quorum read of several nodes by this client
 * @param failure the exception with which the call failed; empty if it succeeded
 */
public record CallReport(
    CallOperation operation,
    Duration time,
    int attempts,
    int retries,
    Optional<GroupId> region,
    Optional<NodeId> node,
    Optional<QuorateException> failure) {
  public CallReport {
    Nulls.refuse(operation, "operation");
    Nulls.refuse(time, "time");
    Nulls.refuse(region, "region");
    Nulls.refuse(node, "node");
    Nulls.refuse(failure, "failure");
  }

  /**
   * One word: ok, refused, invalid, unavailable, overloaded, indeterminate, incompatible or closed.
   */
  public String outcome() {
    return failure.map(QuorateException::outcome).orElse("ok");
  }
}
