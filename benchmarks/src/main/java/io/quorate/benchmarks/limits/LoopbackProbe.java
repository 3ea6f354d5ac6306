package io.quorate.benchmarks.limits;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Sends small requests on one TCP connection of the loopback, each after the response to the one
 * before. Requests and responses have 64 bytes, and each side is a thread with blocking calls.
 */
final class LoopbackProbe implements LimitProbe {
  private static final int MESSAGE_BYTES = 64;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Socket client;
  private final Socket server;
  private final Thread responder;
  private final byte[] message = new byte[MESSAGE_BYTES];

  private LoopbackProbe(Socket client, Socket server) throws IOException {
    this.client = client;
    this.server = server;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    responder = new Thread(() -> respond(server), "loopback-responder");
    responder.setDaemon(true);
  }

  /** Connects. Blocks. */
  static LoopbackProbe open() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
      Socket client = new Socket(loopback, listener.getLocalPort());
      LoopbackProbe probe = new LoopbackProbe(client, listener.accept());
      probe.responder.start();
      return probe;
    }
  }

  /** Responds to each request with the same bytes, until the connection is closed. */
  private static void respond(Socket server) {
    byte[] message = new byte[MESSAGE_BYTES];
    try (server) {
      InputStream in = server.getInputStream();
      OutputStream out = server.getOutputStream();
      while (in.readNBytes(message, 0, MESSAGE_BYTES) == MESSAGE_BYTES) {
        out.write(message);
      }
    } catch (IOException e) {
      // The connection was closed in the middle of a response.
      return;
    }
  }

  @Override
  public Map<Limit, Double> measure(Duration time) throws IOException {
    Map<Limit, Double> limits = new EnumMap<>(Limit.class);
    boolean reportsCpu = THREADS.isThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();
    long before = reportsCpu ? cpuNanos() : 0;
    Repetitions roundTrips = Repetitions.run(time, this::roundTrip);
    if (reportsCpu) {
      double micros = (cpuNanos() - before) / NANOS_PER_MICRO;
      limits.put(Limit.ROUND_TRIP_CPU, micros / roundTrips.count());
    }
    limits.put(Limit.ROUND_TRIP_RATE, roundTrips.perSecond());
    limits.put(Limit.ROUND_TRIP_P50, roundTrips.p50Millis());
    return limits;
  }

  private void roundTrip() throws IOException {
    client.getOutputStream().write(message);
    if (client.getInputStream().readNBytes(message, 0, MESSAGE_BYTES) != MESSAGE_BYTES) {
      throw new EOFException("The connection on the loopback was closed.");
    }
  }

  /** The CPU time of both sides. */
  private long cpuNanos() {
    return THREADS.getCurrentThreadCpuTime() + THREADS.getThreadCpuTime(responder.getId());
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
  }
}
