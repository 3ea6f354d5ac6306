package io.quorate.rabia;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Random;

/** The protocol has no clock, thread, file, socket, log or source of randomness. */
@AnalyzeClasses(
    packages = "io.quorate.rabia",
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PurityTest {
  private static final String CORE = "io.quorate.rabia.core..";
  private static final String PROTOCOL = "io.quorate.rabia.protocol..";

  @ArchTest
  static final ArchRule theCoreDependsOnDataStructuresOnly =
      classes()
          .that()
          .resideInAnyPackage(CORE, PROTOCOL)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              CORE,
              PROTOCOL,
              "io.quorate.consensus..",
              "io.quorate.model..",
              "io.quorate.quorum..",
              "java.lang..",
              "java.util",
              "java.util.function",
              "java.util.stream",
              "java.nio",
              "java.nio.charset",
              "java.security");

  @ArchTest
  static final ArchRule theCoreReadsNoClockAndUsesNoRandomness =
      noClasses()
          .that()
          .resideInAnyPackage(CORE, PROTOCOL)
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Math.class, "random")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Random.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Thread.class);

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.quorate.rabia.(*)..").should().beFreeOfCycles();
}
