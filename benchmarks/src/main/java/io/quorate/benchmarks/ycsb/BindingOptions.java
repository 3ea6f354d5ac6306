package io.quorate.benchmarks.ycsb;

import io.quorate.client.ClientOptions;
import java.time.Duration;
import java.util.Properties;
import site.ycsb.workloads.CoreWorkload;

/**
 * The properties of YCSB that the binding reads.
 *
 * @param client options of the client, which all threads of a process share
 * @param fieldCount number of the fields of a record, from YCSB's {@code fieldcount}
 */
record BindingOptions(ClientOptions client, int fieldCount) {
  /** Addresses of nodes, {@code host:port[,host:port...]}; one is enough. */
  static final String AT = "quorate.at";

  /** The maximum duration of a call, in milliseconds. */
  static final String DEADLINE = "quorate.deadline-ms";

  /** Whether reads may be weaker than linearizable in a cluster that is configured so. */
  static final String ALLOW_WEAKER_READS = "quorate.allow-non-linearizable-reads";

  /** The addresses of a cluster that {@code quorate dev} started. */
  private static final String AT_DEFAULT = "127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003";

  /** Long, because a node that is slow for a while is a part of the measurement. */
  private static final String DEADLINE_DEFAULT = "60000";

  private static final Duration ATTEMPT_TIMEOUT_MAX = Duration.ofSeconds(20);
  private static final String CLIENT_NAME = "ycsb";

  /**
   * @throws IllegalArgumentException if a property is invalid; the message is one sentence
   */
  static BindingOptions of(Properties properties) {
    Duration deadline = Duration.ofMillis(number(properties, DEADLINE, DEADLINE_DEFAULT));
    ClientOptions client =
        ClientOptions.builder(properties.getProperty(AT, AT_DEFAULT))
            .clientName(CLIENT_NAME)
            .deadline(deadline)
            .attemptTimeout(
                deadline.compareTo(ATTEMPT_TIMEOUT_MAX) < 0 ? deadline : ATTEMPT_TIMEOUT_MAX)
            .allowNonLinearizableReads(
                Boolean.parseBoolean(properties.getProperty(ALLOW_WEAKER_READS)))
            .build();
    return new BindingOptions(
        client,
        number(
            properties,
            CoreWorkload.FIELD_COUNT_PROPERTY,
            CoreWorkload.FIELD_COUNT_PROPERTY_DEFAULT));
  }

  private static int number(Properties properties, String name, String byDefault) {
    String text = properties.getProperty(name, byDefault).strip();
    try {
      int value = Integer.parseInt(text);
      if (value >= 1) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Reported as a number that is too small.
    }
    throw new IllegalArgumentException(
        "The property " + name + " is a whole number from 1 on, not " + text + ".");
  }
}
