package io.quorate.ratis.guards;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * Requests of other replicas that arrive at Ratis' port and do not concern Ratis. They are handled
 * before Ratis receives them, because Ratis would pass them from thread to thread. Any thread; does
 * not block.
 */
public interface PeerRequests {

  /** Whether the message of a stale read of Ratis is such a request. */
  boolean concerns(ByteBuffer message);

  /** The response to a request; never fails. */
  CompletableFuture<ByteBuffer> answer(RaftGroupId group, ByteBuffer message);
}
