package io.quorate.ratis.fence;

import java.time.Duration;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;

/**
 * A leader's wish, sent along with its log entries and heartbeats, that whoever acknowledges them
 * helps elect nobody for a while. It stands in the header's timeout, which Ratis leaves empty in
 * these messages; a leader without leases asks for nothing.
 */
public final class LeaseRequest {
  private LeaseRequest() {}

  /** The same message with the wish. */
  public static AppendEntriesRequestProto in(AppendEntriesRequestProto message, Duration promise) {
    return message.toBuilder()
        .setServerRequest(
            message.getServerRequest().toBuilder().setTimeoutMs(promise.toMillis()).build())
        .build();
  }

  /** For how long; zero if the leader asks for nothing. */
  static Duration of(AppendEntriesRequestProto message) {
    return Duration.ofMillis(message.getServerRequest().getTimeoutMs());
  }
}
