package io.quorate.benchmarks.kv;

/** What one call of a client does. */
public enum CallKind {
  GET("get"),
  /** Writes a key that may be there already. */
  PUT("put"),
  /** Writes a key that never was. */
  INSERT("insert"),
  DELETE("delete"),
  /** Reads some rows from a key on. */
  SCAN("scan"),
  /** A get and then a put of the same key, which count as one call. */
  READ_MODIFY_WRITE("read-modify-write");

  private final String text;

  CallKind(String text) {
    this.text = text;
  }

  /** As reports name it. */
  @Override
  public String toString() {
    return text;
  }
}
