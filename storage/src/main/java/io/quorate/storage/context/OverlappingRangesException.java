package io.quorate.storage.context;

import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import java.io.IOException;

/**
 * A region cannot have its keys on this node yet, because another region of the node still has some
 * of them. Nothing has changed. The caller repeats the call later: when the other region has split
 * here, or is removed.
 */
public final class OverlappingRangesException extends IOException {
  private static final long serialVersionUID = 1L;

  OverlappingRangesException(GroupId region, KeyRange wanted, GroupId other, KeyRange present) {
    super(
        "Region "
            + region
            + " cannot have the keys "
            + wanted
            + " on this node while region "
            + other
            + " has the keys "
            + present
            + " here; try again when region "
            + other
            + " has split on this node.");
  }

  public OverlappingRangesException(GroupId region) {
    super(
        "The split from which region "
            + region
            + " begins is being applied, or another region has absorbed it; try again.");
  }
}
