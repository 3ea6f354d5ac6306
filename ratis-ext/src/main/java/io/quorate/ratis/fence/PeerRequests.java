package io.quorate.ratis.fence;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * Questions of other replicas that come in by Ratis' own port and are none of Ratis' business. They
 * are answered before Ratis sees them, which would hand them from thread to thread. Any thread;
 * does not block.
 */
public interface PeerRequests {

  /** Whether a read of a follower's state, in Ratis' words, is such a question. */
  boolean concerns(ByteBuffer message);

  /** The answer; never fails. */
  CompletableFuture<ByteBuffer> answer(RaftGroupId group, ByteBuffer message);
}
