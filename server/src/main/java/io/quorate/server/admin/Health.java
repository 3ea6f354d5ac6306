package io.quorate.server.admin;

import java.util.List;

/**
 * Whether the node does what it is there for.
 *
 * @param problems what is wrong, one sentence each; empty if nothing is
 */
public record Health(List<String> problems) {
  public Health {
    problems = List.copyOf(problems);
  }

  public boolean isGood() {
    return problems.isEmpty();
  }
}
