package io.quorate.ratis;

import io.quorate.model.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The configurations by which a group comes from its present members to the next ones, each
 * different from the one before it by one member (decision 0057). Pure.
 *
 * <p>A member that responds is removed after the new one was added, so that the group never has
 * fewer members than before. One that does not respond is removed first: after an addition, a group
 * of three would need both of its other members and the new one, and if the new one failed, neither
 * the removal nor anything else could be committed again.
 */
final class ReplacementSteps {
  private ReplacementSteps() {}

  /**
   * @param present the members
   * @param next the members after the change, which adds at most one and removes at most one
   * @param responds whether a present member is known to respond; others may be dead
   * @return one or two configurations, the last of which has the next members
   */
  static List<List<NodeId>> of(
      List<NodeId> present, List<NodeId> next, Predicate<NodeId> responds) {
    List<NodeId> leaving = present.stream().filter(node -> !next.contains(node)).toList();
    List<NodeId> joining = next.stream().filter(node -> !present.contains(node)).toList();
    assert leaving.size() <= 1 && joining.size() <= 1 : present + " to " + next;
    if (leaving.isEmpty() || joining.isEmpty()) {
      return List.of(next);
    }
    return leaving.stream().allMatch(responds)
        ? List.of(both(present, next), next)
        : List.of(present.stream().filter(next::contains).toList(), next);
  }

  private static List<NodeId> both(List<NodeId> present, List<NodeId> next) {
    Set<NodeId> all = new LinkedHashSet<>(present);
    all.addAll(next);
    return new ArrayList<>(all);
  }
}
