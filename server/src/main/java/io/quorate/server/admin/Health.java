package io.quorate.server.admin;

import java.util.List;

/**
 * The health of the node.
 *
 * @param problems one sentence each; empty if the node is healthy. They may have keys, addresses
 *     and paths
 * @param outline the same without what only those may know who may see the status
 */
public record Health(List<String> problems, List<String> outline) {
  public Health {
    problems = List.copyOf(problems);
    outline = List.copyOf(outline);
    if (problems.isEmpty() != outline.isEmpty()) {
      throw new IllegalArgumentException("An outline is of problems: " + problems + ", " + outline);
    }
  }

  public boolean isGood() {
    return problems.isEmpty();
  }
}
