package peer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.TimeDuration;

/** A client that puts the value of a key, or gets it if the value is null. */
public final class Client
    implements BiFunction<byte[], byte[], CompletionStage<byte[]>>, AutoCloseable {
  private static final int IN_FLIGHT_MAX = 1024;
  private static final int ATTEMPTS_MAX = 600;
  private static final TimeDuration PAUSE = TimeDuration.valueOf(100, TimeUnit.MILLISECONDS);

  /** A reference, without which the level could be lost. */
  private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

  static {
    GRPC.setLevel(Level.WARNING);
  }

  private final RaftClient client;

  /**
   * @param addresses of the nodes, separated by commas
   */
  public Client(String addresses) {
    RaftProperties properties = new RaftProperties();
    RaftClientConfigKeys.Async.setOutstandingRequestsMax(properties, IN_FLIGHT_MAX);
    client =
        RaftClient.newBuilder()
            .setProperties(properties)
            .setRaftGroup(Group.of(addresses))
            .setRetryPolicy(RetryPolicies.retryUpToMaximumCountWithFixedSleep(ATTEMPTS_MAX, PAUSE))
            .build();
  }

  @Override
  public CompletionStage<byte[]> apply(byte[] key, byte[] value) {
    return value == null ? get(key) : put(key, value);
  }

  private CompletionStage<byte[]> put(byte[] key, byte[] value) {
    ByteBuffer entry = ByteBuffer.allocate(Integer.BYTES + key.length + value.length);
    entry.putInt(key.length).put(key).put(value).flip();
    CompletableFuture<RaftClientReply> reply =
        client.async().send(Message.valueOf(ByteString.copyFrom(entry)));
    return reply.thenApply(
        done -> {
          content(done);
          return null;
        });
  }

  private CompletionStage<byte[]> get(byte[] key) {
    return client
        .async()
        .sendReadOnly(Message.valueOf(ByteString.copyFrom(key)))
        .thenApply(
            done -> {
              ByteString content = content(done);
              return content.byteAt(0) == 0 ? null : content.substring(1).toByteArray();
            });
  }

  private static ByteString content(RaftClientReply reply) {
    if (!reply.isSuccess()) {
      throw new CompletionException(reply.getException());
    }
    return reply.getMessage().getContent();
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
