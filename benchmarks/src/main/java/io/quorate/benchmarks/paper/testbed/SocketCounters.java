package io.quorate.benchmarks.paper.testbed;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bytes that each process has sent on each open TCP connection, as Linux counts them and the
 * program {@code ss} shows them: the payload, without headers, and without what was sent again.
 *
 * <p>They are counted here, rather than in relays, in the network interface or in {@code /proc},
 * because that needs no change of what is measured: relays copy all data on the processors of the
 * nodes, only a node in a network namespace has an interface of its own, and {@code /proc} counts
 * files and connections together. The disadvantage is that the counters of a connection end with
 * it, for which there is {@link SocketWatch}.
 *
 * @param sentBytes by connection
 */
public record SocketCounters(Map<Connection, Long> sentBytes) {
  private static final String PROGRAM = "ss";

  /** TCP, with counters, numeric, with processes, without headings, one line each. */
  private static final String OPTIONS = "-tinpHO";

  private static final Pattern ADDRESSES_AND_PROCESS =
      Pattern.compile("\\s(\\S+):(\\d+)\\s+(\\S+):(\\d+)\\s+users:\\(\\(.*?pid=(\\d+)");
  private static final Pattern SENT = Pattern.compile("\\sbytes_sent:(\\d+)");
  private static final Pattern SENT_AGAIN = Pattern.compile("\\sbytes_retrans:(\\d+)");

  /**
   * One end of a connection.
   *
   * @param pid the process that has it
   */
  record Connection(long pid, String localHost, int localPort, String remoteHost, int remotePort) {
    private boolean usesAny(Set<Integer> ports) {
      return ports.contains(localPort) || ports.contains(remotePort);
    }
  }

  public SocketCounters {
    sentBytes = Map.copyOf(sentBytes);
  }

  /** The reason why this system has no such counters, as a clause; empty if it has. */
  public static Optional<String> obstacle() {
    try {
      now();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("it needs Linux and the program ss of the package iproute2");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("the program was interrupted");
    }
  }

  /**
   * Reads the counters of all processes of this user. Blocks.
   *
   * @throws IOException if the program cannot be executed or fails
   */
  public static SocketCounters now() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(PROGRAM, OPTIONS).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = process.waitFor();
    if (exitCode != 0) {
      throw new IOException(PROGRAM + " " + OPTIONS + " ended with " + exitCode + ".");
    }
    return parse(output);
  }

  /** Parses the output of the program; a connection without a process of this user is ignored. */
  static SocketCounters parse(String output) {
    Map<Connection, Long> sentBytes = new HashMap<>();
    for (String line : output.lines().toList()) {
      Matcher ends = ADDRESSES_AND_PROCESS.matcher(line);
      if (ends.find()) {
        Connection connection =
            new Connection(
                Long.parseLong(ends.group(5)),
                ends.group(1),
                Integer.parseInt(ends.group(2)),
                ends.group(3),
                Integer.parseInt(ends.group(4)));
        sentBytes.put(connection, number(SENT, line) - number(SENT_AGAIN, line));
      }
    }
    return new SocketCounters(sentBytes);
  }

  /** The number in the line; 0 if it has none, as before anything was sent. */
  private static long number(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** The higher counter of each connection that this reading or another one has. */
  SocketCounters highest(SocketCounters other) {
    Map<Connection, Long> highest = new HashMap<>(sentBytes);
    other.sentBytes.forEach((connection, sent) -> highest.merge(connection, sent, Math::max));
    return new SocketCounters(highest);
  }

  /**
   * The bytes that a process has sent after an earlier reading, on its connections from or to one
   * of the ports.
   */
  public long sentSince(SocketCounters before, long pid, Set<Integer> ports) {
    return sentBytes.entrySet().stream()
        .filter(each -> each.getKey().pid() == pid && each.getKey().usesAny(ports))
        .mapToLong(each -> each.getValue() - before.sentBytes.getOrDefault(each.getKey(), 0L))
        .sum();
  }
}
