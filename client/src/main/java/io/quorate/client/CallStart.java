package io.quorate.client;

import io.quorate.common.Nulls;

/**
 * A call that begins.
 *
 * @param operation what the call does
 */
public record CallStart(CallOperation operation) {
  public CallStart {
    Nulls.refuse(operation, "operation");
  }
}
