package io.quorate.rabia.transport;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.snapshot.SnapshotFetcher;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;

/**
 * A group at a linked peer, asked for its snapshot; the peer's {@link GroupListener#asked} is to
 * answer. An answer is waited for as long as {@code rabia.request-timeout}.
 */
public record PeerSource(PeerTransport transport, NodeId peer, GroupId group)
    implements SnapshotFetcher.Source {

  @Override
  public ByteBuffer ask(ByteBuffer request) throws IOException {
    try {
      return transport.ask(peer, group, request).get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for an answer of node " + peer);
    }
  }
}
