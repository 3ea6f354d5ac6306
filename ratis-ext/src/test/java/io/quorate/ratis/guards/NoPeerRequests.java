package io.quorate.ratis.guards;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftGroupId;

/** Accepts no requests of other replicas. */
public final class NoPeerRequests implements PeerRequests {
  @Override
  public boolean concerns(ByteBuffer message) {
    return false;
  }

  @Override
  public CompletableFuture<ByteBuffer> answer(RaftGroupId group, ByteBuffer message) {
    return CompletableFuture.failedFuture(new AssertionError("No request is expected"));
  }
}
