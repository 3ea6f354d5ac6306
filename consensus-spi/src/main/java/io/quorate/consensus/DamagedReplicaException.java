package io.quorate.consensus;

import java.io.IOException;

/**
 * The files of a replica differ from what the engine wrote, or are missing, and the difference may
 * affect what the replica has acknowledged or voted. The replica is <em>lost</em>: it must not take
 * part in its group with what is left. The engine has changed none of its files; only {@link
 * ConsensusEngine#remove} deletes them.
 */
public final class DamagedReplicaException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message names the file and the damage; the host knows what follows from it
   */
  public DamagedReplicaException(String message) {
    super(message);
  }

  /**
   * @param cause its message names the file and the damage; the host knows what follows from it
   */
  public DamagedReplicaException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
