package io.quorate.server.verification.agent;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What an agent is told when its node starts. Its text is {@code orders=FILE} or {@code
 * orders=FILE;defect=CLASS}.
 *
 * @param orders where the node's orders are, when there are any
 * @param defect what is to be wrong with the node
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
      throw new IllegalArgumentException("There is no defect " + className, e);
    }
  }

  @Override
  public String toString() {
    return ORDERS + orders + defect.map(known -> DEFECT + known.getClass().getName()).orElse("");
  }
}
