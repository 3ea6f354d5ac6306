package io.quorate.server.admin;

import java.util.List;

/**
 * The health of the node.
 *
 * @param problems one sentence each; empty if the node is healthy
 */
public record Health(List<String> problems) {
  public Health {
    problems = List.copyOf(problems);
  }

  public boolean isGood() {
    return problems.isEmpty();
  }
}
