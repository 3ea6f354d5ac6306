package io.quorate.benchmarks.peers;

import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.PeerConnection;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A contender in this process, which may be missing, may not serve, or may end, refuse calls or
 * interrupt the measuring thread while it is measured.
 */
final class MapContender implements Contender {
  enum Fault {
    NONE,
    MISSING,
    NOT_SERVING,
    ENDS,
    INTERRUPTS,
    REFUSES
  }

  private final String name;
  private final Fault fault;
  private int started;
  private int closed;

  MapContender(String name, Fault fault) {
    this.name = name;
    this.fault = fault;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return "a map in this process.";
  }

  @Override
  public void prepare(Programs programs) throws UnavailableException {
    if (fault == Fault.MISSING) {
      throw new UnavailableException("There is no such program.");
    }
  }

  @Override
  public RunningContender start(Path parent) throws IOException {
    if (fault == Fault.NOT_SERVING) {
      throw new IOException("no port is free");
    }
    started++;
    return new Running();
  }

  boolean isStopped() {
    return started == closed;
  }

  private final class Running implements RunningContender {
    private final Map<ByteBuffer, byte[]> rows = new ConcurrentHashMap<>();
    private volatile int checks;

    @Override
    public List<KeyValueCalls> calls() {
      return List.of(new Connection(this), new Connection(this));
    }

    @Override
    public List<ProcessHandle> processes() {
      return List.of(ProcessHandle.current());
    }

    @Override
    public void requireAlive() throws IOException {
      checks++;
      // The first check is after the warm-up, the second after the first measurement.
      if (fault == Fault.ENDS && checks > 2) {
        throw new IOException("A process ended unexpectedly: out of ideas");
      }
      if (fault == Fault.INTERRUPTS && checks > 2) {
        Thread.currentThread().interrupt();
      }
    }

    /** After the warm-up. */
    boolean refuses() {
      return fault == Fault.REFUSES && checks > 0;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private static final class Connection extends PeerConnection {
    private final Running server;

    Connection(Running server) {
      this.server = server;
    }

    @Override
    public CompletionStage<?> put(byte[] key, byte[] value) {
      if (server.refuses()) {
        return CompletableFuture.failedFuture(new IOException("the disk is full"));
      }
      server.rows.put(ByteBuffer.wrap(key), value);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Optional<byte[]>> get(byte[] key) {
      return CompletableFuture.completedFuture(
          Optional.ofNullable(server.rows.get(ByteBuffer.wrap(key))));
    }

    @Override
    public void close() {}
  }
}
