package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Which bodies may have lost records: more of them may have been durable than there is now. Any
 * thread; nothing blocks. {@link StoreState} makes it durable. About 10 bytes of heap for each body
 * where many are lost.
 */
final class LostRecords {
  private final BodyTable bodies = new BodyTable(0);
  private volatile boolean areSomeUnknown;

  /**
   * A record of this body is lost.
   *
   * @return whether none was before
   */
  boolean add(BodyId body) {
    return bodies.put(body).isEmpty();
  }

  /** Records are lost whose bodies are unknown: any that the store does not have may be of them. */
  void addUnknown() {
    areSomeUnknown = true;
  }

  boolean areSomeUnknown() {
    return areSomeUnknown;
  }

  boolean contains(BodyId body) {
    return bodies.contains(body);
  }

  void remove(BodyId body) {
    bodies.remove(body);
  }

  void removeAll(GroupId group) {
    bodies.visit(group, this::remove);
  }

  List<BodyId> of(GroupId group) {
    List<BodyId> found = new ArrayList<>();
    bodies.visit(group, found::add);
    return found;
  }

  /** The groups that have lost records. */
  List<GroupId> groups() {
    return bodies.groups();
  }

  void visit(Consumer<BodyId> visitor) {
    bodies.visit(visitor);
  }

  int size() {
    return bodies.size();
  }

  long heapBytes() {
    return bodies.heapBytes();
  }

  /**
   * Adds those of a group to another one, which begins with its state.
   *
   * @return whether any of them was not there
   */
  boolean link(GroupId from, GroupId to, Predicate<BodyId> isWanted) {
    boolean anyAdded = false;
    for (BodyId body : of(from)) {
      anyAdded |= isWanted.test(body) && add(body.in(to));
    }
    return anyAdded;
  }
}
