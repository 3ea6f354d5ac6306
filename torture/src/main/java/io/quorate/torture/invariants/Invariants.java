package io.quorate.torture.invariants;

import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Checks all invariants on each key to which they apply. A history with a finding is not
 * linearizable; one without findings need not be linearizable.
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
