package io.quorate.replication.transport;

import io.quorate.replication.snapshot.SnapshotFetcher;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * A group at a peer as the source of a snapshot: sends requests over the transport and blocks until
 * their responses.
 *
 * @param call {@link PeerTransport#call} for one peer and group
 */
public record PeerSource(Function<ByteBuffer, CompletionStage<ByteBuffer>> call)
    implements SnapshotFetcher.Source {

  @Override
  public ByteBuffer call(ByteBuffer request) throws IOException {
    try {
      return call.apply(request).toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for a response of a peer");
    }
  }
}
