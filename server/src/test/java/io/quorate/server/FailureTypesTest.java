package io.quorate.server;

import com.tngtech.archunit.core.domain.InstanceofCheck;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * A stage may wrap the failure of another stage. Code that tests the type of a failure therefore
 * unwraps the failure first, and only {@link Failures} does so.
 */
@AnalyzeClasses(
    packages = "io.quorate",
    importOptions = {
      ImportOption.DoNotIncludeTests.class,
      FailureTypesTest.DoNotIncludeTestJars.class
    })
class FailureTypesTest {
  /** The tests of other modules may test for any type. */
  static final class DoNotIncludeTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  @ArchTest
  static final ArchRule onlyFailuresTestsForWrapperExceptions =
      ArchRuleDefinition.classes()
          .that()
          .doNotHaveFullyQualifiedName(Failures.class.getName())
          .should(notTestFor(Set.of(CompletionException.class, ExecutionException.class)));

  /** Other classes receive a rejection as a value, or pass on the exception. */
  @ArchTest
  static final ArchRule onlyErrorMapperTestsForConsensusExceptions =
      ArchRuleDefinition.classes()
          .that()
          .doNotHaveFullyQualifiedName("io.quorate.server.rpc.request.ErrorMapper")
          .should(notTestFor(Set.of(ConsensusException.class)));

  private static ArchCondition<JavaClass> notTestFor(Set<Class<?>> types) {
    return new ArchCondition<>("not test for any type of " + types) {
      @Override
      public void check(JavaClass checked, ConditionEvents events) {
        for (JavaCodeUnit code : checked.getCodeUnits()) {
          for (InstanceofCheck check : code.getInstanceofChecks()) {
            JavaClass type = check.getRawType();
            boolean tests = types.stream().anyMatch(type::isAssignableTo);
            if (tests) {
              events.add(
                  SimpleConditionEvent.violated(
                      checked,
                      code.getFullName() + " tests for " + type.getName() + " in " + check));
            }
          }
        }
      }
    };
  }
}
