package io.quorate.storage.merge;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.split.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The agreed order of a region, and what is true of it: what each command did at the first replica
 * that has applied it, and which regions it had absorbed then.
 */
final class RegionLog {
  /**
   * A command at an index.
   *
   * @param attempt of a client; 0 for a command of a server
   */
  record Entry(ClientCommand command, long attempt) {}

  private final List<Entry> entries = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();

  /** Before the first index, and after each one that has an outcome. */
  private final List<Map<GroupId, Key>> obsolete = new ArrayList<>();

  private RegionShape shape;

  /**
   * @param obsolete the regions that were absorbed by the region from which this one begins, with
   *     their first keys
   */
  RegionLog(RegionShape shape, Map<GroupId, Key> obsolete) {
    this.shape = shape;
    this.obsolete.add(obsolete);
  }

  void add(Entry entry) {
    entries.add(entry);
  }

  Entry entry(int index) {
    return entries.get(index);
  }

  /** The newest index; -1 before the first one. */
  int newest() {
    return entries.size() - 1;
  }

  /** The shape of the most advanced replica. */
  RegionShape shape() {
    return shape;
  }

  /** The regions that are obsolete by the state at an index, with their first keys. */
  Map<GroupId, Key> obsoleteAt(int index) {
    return obsolete.get(index + 1);
  }

  /** The regions that are obsolete by the state of the most advanced replica. */
  Map<GroupId, Key> obsolete() {
    return obsolete.get(obsolete.size() - 1);
  }

  /** Whether a replica has applied an index. Requires that this one computes the same outcome. */
  boolean isDecided(int index, Outcome outcome) {
    if (index < outcomes.size()) {
      Violation.require(
          outcomes.get(index) == outcome,
          () -> outcome + " at one replica and " + outcomes.get(index) + " at another one");
      return true;
    }
    return false;
  }

  /** Called when the first replica applies the next index. */
  void decide(Outcome outcome, RegionShape after, Map<GroupId, Key> obsoleteAfter) {
    outcomes.add(outcome);
    shape = after;
    obsolete.add(obsoleteAfter);
  }
}
