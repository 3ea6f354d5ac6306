package io.quorate.ratis.guards;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftGroupId;

/** Where replicas ask each other nothing. */
public final class NoQuestions implements PeerRequests {
  @Override
  public boolean concerns(ByteBuffer message) {
    return false;
  }

  @Override
  public CompletableFuture<ByteBuffer> answer(RaftGroupId group, ByteBuffer message) {
    return CompletableFuture.failedFuture(new AssertionError("Nothing is asked"));
  }
}
