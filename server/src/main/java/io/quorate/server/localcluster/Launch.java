package io.quorate.server.localcluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Additions to the command line, JVM flags, environment and settings of the process of a node.
 * Tests use it to intercept the access of a node to its machine, measurements to compare settings.
 *
 * @param prefix a program and its arguments that execute the command line after them
 * @param jvmFlags flags before the class path, one argument each
 * @param environment variables that are added to those of this process
 * @param settings configuration keys to override, such as {@code cluster.replicas}
 */
public record Launch(
    List<String> prefix,
    List<String> jvmFlags,
    Map<String, String> environment,
    Map<String, String> settings) {
  /** A JVM flag that saves the time of the second compiler; the code then stays slower. */
  public static final String FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=1";

  /**
   * For a cluster that shares the processors of one machine and often runs for minutes only: less
   * is compiled, and compiled code is not left when it does for the first time what it has not done
   * before, such as a move of a replica (decision 0052). Exceptions keep their stack traces, which
   * compiled code would otherwise omit then.
   */
  static final Launch SHARED_PROCESSORS =
      new Launch(
          List.of(
              "-XX:+IgnoreUnrecognizedVMOptions",
              "-XX:MaxInlineLevel=9",
              "-XX:FreqInlineSize=120",
              "-XX:InlineSmallCode=1200",
              "-XX:PerMethodTrapLimit=0",
              "-XX:-OmitStackTraceInFastThrow"),
          Map.of());

  /** No additions. */
  public static final Launch PLAIN = new Launch(List.of(), Map.of());

  /** Additions without a prefix. */
  public Launch(
      List<String> jvmFlags, Map<String, String> environment, Map<String, String> settings) {
    this(List.of(), jvmFlags, environment, settings);
  }

  /** Additions without a prefix and overridden settings. */
  public Launch(List<String> jvmFlags, Map<String, String> environment) {
    this(jvmFlags, environment, Map.of());
  }

  /** Overridden settings as the only addition. */
  public static Launch with(Map<String, String> settings) {
    return new Launch(List.of(), Map.of(), settings);
  }

  /** The same with more JVM flags. */
  public Launch withJvmFlags(List<String> more) {
    return new Launch(
        prefix, Stream.concat(jvmFlags.stream(), more.stream()).toList(), environment, settings);
  }

  /** The same with more overridden settings. */
  public Launch withSettings(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(more);
    return new Launch(prefix, jvmFlags, environment, all);
  }

  public Launch {
    prefix = List.copyOf(prefix);
    jvmFlags = List.copyOf(jvmFlags);
    environment = Map.copyOf(environment);
    settings = Map.copyOf(settings);
  }
}
