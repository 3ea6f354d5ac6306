package io.quorate.ratis;

import io.quorate.snapshot.SnapshotFetcher;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * A leader as the source of its snapshot. Requests are sent as stale reads of Ratis, to Ratis' own
 * port.
 */
record LeaderSource(RaftClient client, RaftPeerId leader) implements SnapshotFetcher.Source {

  @Override
  public ByteBuffer call(ByteBuffer request) throws IOException {
    RaftClientReply reply =
        client
            .io()
            .sendStaleRead(Message.valueOf(UnsafeByteOperations.unsafeWrap(request)), 0, leader);
    if (!reply.isSuccess()) {
      throw new IOException("The leader refused: " + reply.getException().getMessage());
    }
    return reply.getMessage().getContent().asReadOnlyByteBuffer();
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
