package io.quorate.common;

/** Refuses null where a method needs an object. */
public final class Nulls {
  private Nulls() {}

  /**
   * Returns the value.
   *
   * @param name that of the parameter, for the message
   * @throws NullPointerException if the value is null
   */
  public static <T> T refuse(T value, String name) {
    if (value == null) {
      throw new NullPointerException(name + " must not be null");
    }
    return value;
  }
}
