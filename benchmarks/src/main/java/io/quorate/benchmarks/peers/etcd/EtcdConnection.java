package io.quorate.benchmarks.peers.etcd;

import io.netty.util.AsciiString;
import io.quorate.benchmarks.peers.contender.PeerConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A connection to a member of etcd. Thread-safe. */
final class EtcdConnection extends PeerConnection {
  private static final AsciiString PUT = AsciiString.cached("/etcdserverpb.KV/Put");
  private static final AsciiString RANGE = AsciiString.cached("/etcdserverpb.KV/Range");

  private final GrpcConnection connection;

  private EtcdConnection(GrpcConnection connection) {
    this.connection = connection;
  }

  /** Connects. Blocks. */
  static EtcdConnection open(InetSocketAddress member) throws IOException, InterruptedException {
    return new EtcdConnection(GrpcConnection.open(member));
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value) {
    return connection.call(PUT, EtcdMessages.put(key, value));
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    return connection.call(RANGE, EtcdMessages.get(key)).thenApply(EtcdMessages::value);
  }

  @Override
  public void close() {
    connection.close();
  }
}
