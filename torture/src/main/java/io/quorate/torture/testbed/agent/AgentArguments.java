package io.quorate.torture.testbed.agent;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The arguments of an agent, from the command line of its node: {@code orders=FILE} or {@code
 * orders=FILE;defect=CLASS}.
 *
 * @param orders the file from which the node reads its {@link FailpointOrder}; need not exist
 * @param defect the defect to install in the node, if any
 */
record AgentArguments(Path orders, Optional<Defect> defect) {
  private static final String ORDERS = "orders=";
  private static final String DEFECT = ";defect=";

  static AgentArguments parse(String text) {
    int defect = text.indexOf(DEFECT);
    String orders = text.substring(ORDERS.length(), defect < 0 ? text.length() : defect);
    return new AgentArguments(
        Path.of(orders),
        defect < 0
            ? Optional.empty()
            : Optional.of(instance(text.substring(defect + DEFECT.length()))));
  }

  private static Defect instance(String className) {
    try {
      return Class.forName(className)
          .asSubclass(Defect.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("Cannot create defect " + className, e);
    }
  }

  @Override
  public String toString() {
    return ORDERS
        + orders
        + defect.map(present -> DEFECT + present.getClass().getName()).orElse("");
  }
}
