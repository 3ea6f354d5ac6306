package io.quorate.ratis.read;

import java.time.Duration;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;

/**
 * A leader's request for a lease grant, sent with its log entries and heartbeats: a voter that
 * acknowledges them helps to elect no other leader for a while. The duration is in the header's
 * timeout, which Ratis leaves empty in these messages; a leader without leases requests none.
 */
public final class LeaseRequest {
  private LeaseRequest() {}

  /** A copy of the message with a request for a grant. */
  public static AppendEntriesRequestProto in(AppendEntriesRequestProto message, Duration duration) {
    return message.toBuilder()
        .setServerRequest(
            message.getServerRequest().toBuilder().setTimeoutMs(duration.toMillis()).build())
        .build();
  }

  /** The requested duration; zero if the leader requests no grant. */
  public static Duration of(AppendEntriesRequestProto message) {
    return Duration.ofMillis(message.getServerRequest().getTimeoutMs());
  }
}
