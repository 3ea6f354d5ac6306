package io.quorate.rabia.transport;

import io.quorate.consensus.snapshot.SnapshotFetcher;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * A group at a peer, asked for its snapshot over the transport, whose answer is waited for.
 *
 * @param ask {@link PeerTransport#ask}, of one peer and group
 */
public record PeerSource(Function<ByteBuffer, CompletionStage<ByteBuffer>> ask)
    implements SnapshotFetcher.Source {

  @Override
  public ByteBuffer ask(ByteBuffer request) throws IOException {
    try {
      return ask.apply(request).toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for an answer of a peer");
    }
  }
}
