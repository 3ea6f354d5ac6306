package io.quorate.server.verification.invariants;

import io.quorate.server.verification.history.History;
import io.quorate.server.verification.history.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Checks all invariants on each key to which they apply. No finding does not mean that a history is
 * linearizable; a finding means that it is not.
 */
public final class Invariants {
  private Invariants() {}

  public static List<Finding> findings(History history) {
    List<Finding> findings = new ArrayList<>();
    for (Map.Entry<String, List<Operation>> key : OperationsByKey.of(history).entrySet()) {
      findings.addAll(UniqueValues.findings(key.getKey(), key.getValue()));
      findings.addAll(AppendedElements.findings(key.getKey(), key.getValue()));
      findings.addAll(CountedIncrements.findings(key.getKey(), key.getValue()));
    }
    return findings;
  }
}
