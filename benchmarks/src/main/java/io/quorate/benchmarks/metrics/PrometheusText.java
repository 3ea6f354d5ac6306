package io.quorate.benchmarks.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Parses the text format of Prometheus, version 0.0.4. */
public final class PrometheusText {
  private final String line;
  private int at;

  private PrometheusText(String line) {
    this.line = line;
  }

  /**
   * Parses every sample in the text; ignores comments and timestamps.
   *
   * @throws IllegalArgumentException if a line is not a sample; the message contains the line
   */
  public static List<Sample> parse(String text) {
    List<Sample> samples = new ArrayList<>();
    text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .forEach(line -> samples.add(new PrometheusText(line).sample()));
    return samples;
  }

  private Sample sample() {
    String name = until("{ \t");
    Map<String, String> labels = new HashMap<>();
    if (at < line.length() && line.charAt(at) == '{') {
      at++;
      labels(labels);
    }
    String[] rest = line.substring(at).strip().split("\\s+");
    return new Sample(name, labels, number(rest[0]));
  }

  private void labels(Map<String, String> into) {
    while (true) {
      skip(", ");
      if (next() == '}') {
        at++;
        return;
      }
      String name = until("=").strip();
      at++;
      skip(" ");
      if (next() != '"') {
        throw malformed();
      }
      at++;
      into.put(name, quoted());
    }
  }

  private String quoted() {
    StringBuilder value = new StringBuilder();
    while (true) {
      char c = next();
      at++;
      if (c == '"') {
        return value.toString();
      }
      if (c == '\\') {
        char escaped = next();
        at++;
        value.append(escaped == 'n' ? '\n' : escaped);
      } else {
        value.append(c);
      }
    }
  }

  private double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> {
        try {
          yield Double.parseDouble(text);
        } catch (NumberFormatException e) {
          throw malformed();
        }
      }
    };
  }

  private String until(String ends) {
    int from = at;
    while (at < line.length() && ends.indexOf(line.charAt(at)) < 0) {
      at++;
    }
    if (at == from) {
      throw malformed();
    }
    return line.substring(from, at);
  }

  private void skip(String what) {
    while (at < line.length() && what.indexOf(line.charAt(at)) >= 0) {
      at++;
    }
  }

  private char next() {
    if (at >= line.length()) {
      throw malformed();
    }
    return line.charAt(at);
  }

  private IllegalArgumentException malformed() {
    return new IllegalArgumentException(
        "This line of metrics is not in the text format of Prometheus: " + line);
  }
}
