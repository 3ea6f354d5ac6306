package io.quorate.storage;

import io.quorate.consensus.GroupId;
import java.io.IOException;

/** Points at which a test makes the disk fail or takes a picture of it. */
interface Interception {
  Interception NONE = new Interception() {};

  /** Before a region's changes are written. */
  default void beforeWrite(GroupId region) throws IOException {}

  /** After a step of an install. */
  default void installed(InstallStep step) throws IOException {}
}
