package io.quorate.storage.read;

import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;

/**
 * A read of keys that the region does not have: it has split, and the reader has to learn which
 * region has them. Carries no stack trace, because it reports an expected condition.
 */
public final class OutOfRangeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param present the keys of the region
   * @param requested the keys that were read
   */
  public OutOfRangeException(GroupId region, KeyRange present, Object requested) {
    super(
        "Region " + region + " holds the keys " + present + ", not " + requested + ".",
        null,
        false,
        false);
  }
}
