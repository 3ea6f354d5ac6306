package io.quorate.benchmarks.ycsb.run;

import io.quorate.benchmarks.ycsb.QuorateBinding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What YCSB's client wrote in one phase.
 *
 * @param measurements the lines of its report
 * @param messages other lines of standard output and standard error, without the progress
 */
record YcsbOutput(List<String> measurements, List<String> messages) {
  /** The operations that are reported, in this order. */
  private static final List<String> OPERATIONS =
      List.of("READ", "UPDATE", "INSERT", "SCAN", "DELETE", "READ-MODIFY-WRITE");

  private static final String VERIFICATION = "VERIFY";
  private static final String OK = "OK";

  private static final Pattern LINE = Pattern.compile("\\[([^]]+)], ([^,]+), (.+)");
  private static final Pattern RETURN = Pattern.compile("Return=(.+)");
  private static final Pattern PERCENTILE =
      Pattern.compile("([0-9.]+)(?:st|nd|rd|th)?PercentileLatency\\(us\\)");

  /** The first line of a stack trace. */
  private static final Pattern EXCEPTION =
      Pattern.compile("(?:Exception in thread \"main\" )?(?:\\w+\\.)+(\\w+(?:Exception|Error).*)");

  private static final double MICROS_PER_MILLI = 1000;

  YcsbOutput {
    measurements = List.copyOf(measurements);
    messages = List.copyOf(messages);
  }

  /** Whether a line belongs to the report. */
  static boolean isMeasurement(String line) {
    return LINE.matcher(line).matches();
  }

  /** Operations a second; empty if YCSB ended before it reported. */
  OptionalDouble throughput() {
    return values("OVERALL").entrySet().stream()
        .filter(entry -> entry.getKey().equals("Throughput(ops/sec)"))
        .mapToDouble(Map.Entry::getValue)
        .findFirst();
  }

  /** The measurements by operation, for the operations of which there were any. */
  Map<String, OperationStats> operations() {
    Map<String, OperationStats> statsByOperation = new LinkedHashMap<>();
    for (String operation : OPERATIONS) {
      Map<String, Double> values = values(operation);
      if (values.getOrDefault("Operations", 0.0) > 0) {
        statsByOperation.put(operation, stats(values));
      }
    }
    return statsByOperation;
  }

  private static OperationStats stats(Map<String, Double> values) {
    Map<Double, Double> percentiles = new TreeMap<>();
    values.forEach(
        (metric, value) -> {
          Matcher percentile = PERCENTILE.matcher(metric);
          if (percentile.matches()) {
            percentiles.put(Double.valueOf(percentile.group(1)), value / MICROS_PER_MILLI);
          }
        });
    return new OperationStats(
        values.get("Operations").longValue(),
        values.getOrDefault("AverageLatency(us)", 0.0) / MICROS_PER_MILLI,
        percentiles);
  }

  /** The number of successful calls of the database. */
  long successes() {
    return OPERATIONS.stream().mapToLong(operation -> returns(operation, OK::equals)).sum();
  }

  /**
   * The number of calls that returned another status than success, and of records whose content was
   * wrong where {@code dataintegrity} is on.
   */
  long failures() {
    return Stream.concat(OPERATIONS.stream(), Stream.of(VERIFICATION))
        .mapToLong(operation -> returns(operation, status -> !OK.equals(status)))
        .sum();
  }

  private long returns(String operation, Predicate<String> isCounted) {
    double sum = 0;
    for (Map.Entry<String, Double> entry : values(operation).entrySet()) {
      Matcher status = RETURN.matcher(entry.getKey());
      if (status.matches() && isCounted.test(status.group(1))) {
        sum += entry.getValue();
      }
    }
    return Math.round(sum);
  }

  /** The exception with which YCSB ended, without its package. */
  Optional<String> exception() {
    for (String message : messages) {
      Matcher matcher = EXCEPTION.matcher(message);
      if (matcher.matches()) {
        return Optional.of(matcher.group(1));
      }
    }
    return Optional.empty();
  }

  /** What the binding reported, each once. */
  List<String> notices() {
    return messages.stream()
        .filter(message -> message.startsWith(QuorateBinding.NOTICE))
        .map(message -> message.substring(QuorateBinding.NOTICE.length()))
        .distinct()
        .toList();
  }

  private Map<String, Double> values(String section) {
    Map<String, Double> values = new LinkedHashMap<>();
    for (String line : measurements) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches() && matcher.group(1).equals(section)) {
        number(matcher.group(3)).ifPresent(value -> values.put(matcher.group(2), value));
      }
    }
    return values;
  }

  private static OptionalDouble number(String text) {
    try {
      return OptionalDouble.of(Double.parseDouble(text.strip()));
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }
}
