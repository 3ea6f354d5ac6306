package io.quorate.torture.canary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Canaries name classes and methods of the nodes as text, which no compiler checks. */
class CanaryTest {
  @ParameterizedTest
  @EnumSource(Canary.class)
  void everyCanaryChangesMethodsThatExist(Canary canary) {
    List<String> calls = new ArrayList<>();
    canary.defect().install(recording(calls));
    assertThat(calls).contains("addTransformer");
  }

  @Test
  void aMutationOfAMissingMethodOrClassIsRejected() {
    String name = Canary.class.getName();
    assertThatThrownBy(() -> new Mutation(name, "none", Canary.class))
        .hasMessage("There is no " + name + ".none.");
    assertThatThrownBy(() -> new Mutation(name + "s", "label", Canary.class))
        .hasMessage("There is no " + name + "s.label.");
  }

  /** An instrumentation that changes nothing. */
  private static Instrumentation recording(List<String> calls) {
    return (Instrumentation)
        Proxy.newProxyInstance(
            CanaryTest.class.getClassLoader(),
            new Class<?>[] {Instrumentation.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              Class<?> type = method.getReturnType();
              if (type == boolean.class) {
                return true;
              }
              return type.isArray() ? Array.newInstance(type.getComponentType(), 0) : null;
            });
  }
}
