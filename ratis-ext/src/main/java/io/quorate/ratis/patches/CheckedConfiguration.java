package io.quorate.ratis.patches;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.storage.RaftStorage;

/**
 * What a replica has beside its log, whose configuration never goes back, in contrast to that of
 * Ratis itself.
 *
 * <p>Part of {@link AnnouncedConfiguration}.
 */
public interface CheckedConfiguration extends RaftStorage {
  /**
   * Makes a configuration durable, unless one of a later term, or of a later entry in the same
   * term, is: an entry may be applied after a leader has announced a snapshot with a later one.
   * Blocks while another one is written. Thread-safe.
   *
   * @param entry an applied one; or what a leader announces, with the term of the leader, because
   *     Ratis does not send that of the entry
   * @throws java.io.UncheckedIOException if it cannot be written. The log must not be purged up to
   *     the entry: Ratis ends the thread that applies entries
   */
  void writeRaftConfiguration(LogEntryProto entry);
}
