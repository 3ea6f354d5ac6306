package io.quorate.replication.log;

import io.quorate.model.GroupId;
import java.io.IOException;

/**
 * Records of a group that were durable cannot be read, and may be live: the replica is lost, since
 * it may have acknowledged or voted what is missing. The log keeps that in mind until the group is
 * removed; it can be created again then.
 */
public final class DamagedGroupException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient GroupId group;

  /**
   * @param message names file and byte
   */
  public DamagedGroupException(GroupId group, String message) {
    super(message);
    this.group = group;
  }

  public GroupId group() {
    return group;
  }
}
