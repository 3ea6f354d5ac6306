package io.quorate.rabia.core.step;

/**
 * The number of a log record, counted from 1 in the order of {@link Effect.Persist} since the
 * replica was created. {@link #START} precedes all records, and is durable.
 */
public record Lsn(long value) implements Comparable<Lsn> {
  public static final Lsn START = new Lsn(0);

  public Lsn next() {
    return new Lsn(value + 1);
  }

  public boolean isAfter(Lsn other) {
    return value > other.value;
  }

  @Override
  public int compareTo(Lsn other) {
    return Long.compare(value, other.value);
  }
}
