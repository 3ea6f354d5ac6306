package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.GroupId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Which bodies may have lost records: more of them may have been durable than there is now. Any
 * thread; nothing blocks. {@link StoreState} makes it durable.
 */
final class LostRecords {
  private final Set<BodyId> bodies = ConcurrentHashMap.newKeySet();
  private volatile boolean areSomeUnknown;

  /** A record of this body is lost. */
  void add(BodyId body) {
    bodies.add(body);
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
    bodies.removeIf(body -> body.group().equals(group));
  }

  List<BodyId> of(GroupId group) {
    return bodies.stream().filter(body -> body.group().equals(group)).toList();
  }

  Collection<BodyId> bodies() {
    return List.copyOf(bodies);
  }

  int size() {
    return bodies.size();
  }

  /** Adds those of a group to another one, which begins with its state. */
  boolean link(GroupId from, GroupId to, Predicate<BodyId> isWanted) {
    List<BodyId> linked = of(from).stream().filter(isWanted).map(body -> body.in(to)).toList();
    return bodies.addAll(linked);
  }
}
