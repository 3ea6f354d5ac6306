package io.quorate.benchmarks.kv;

/** The kinds of client calls. */
public enum CallKind {
  GET("get"),
  /** Writes a key that may exist. */
  PUT("put"),
  /** Writes a key that has never existed. */
  INSERT("insert"),
  DELETE("delete"),
  /** Reads some rows, starting at a key. */
  SCAN("scan"),
  /** A get followed by a put of the same key, which count as one call. */
  READ_MODIFY_WRITE("read-modify-write");

  private final String text;

  CallKind(String text) {
    this.text = text;
  }

  /** The name in reports. */
  @Override
  public String toString() {
    return text;
  }
}
