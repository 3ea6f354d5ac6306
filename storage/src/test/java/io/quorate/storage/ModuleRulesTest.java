package io.quorate.storage;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.quorate.common.Bytes;
import io.quorate.common.DecodeException;
import java.util.List;
import java.util.Random;

/** What this module may use, and that the outcome of a command depends on replicated data alone. */
@AnalyzeClasses(
    packages = "io.quorate.storage",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleRulesTest {
  private static final String STORAGE = "io.quorate.storage..";
  private static final String MODEL = "io.quorate.model..";
  private static final String CONSENSUS = "io.quorate.consensus..";
  private static final String OPERATION = "io.quorate.protocol.operation..";
  private static final String COMMON = "io.quorate.common..";
  private static final String SESSION = "io.quorate.storage.session..";
  private static final String COMMAND = "io.quorate.storage.command..";
  private static final String OURS = "io.quorate..";

  /** The classes that determine the outcome of a command, by their packages in storage. */
  private static final List<String> DETERMINISTIC =
      List.of(
          "command.BodyResolution",
          "command.DecimalNumber",
          "command.EarlyReply",
          "command.MergeChain",
          "command.OperationExecutor",
          "command.PendingVersions",
          "command.RegionShape",
          "command.RowFormat",
          "command.SingleValue",
          "session.Session",
          "session.SessionTable");

  @ArchTest
  static final ArchRule storageDependsOnNoEngineAndNoNetwork =
      noClasses()
          .that()
          .resideInAPackage(STORAGE)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(not(resideInAnyPackage(STORAGE, MODEL, CONSENSUS, OPERATION, COMMON)))
                  .or(resideInAnyPackage("org.apache.ratis..", "io.netty..")));

  /** The outcome of a command depends on replicated data only (decision 0021). */
  @ArchTest
  static final ArchRule sessionsDependOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(SESSION)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(SESSION, OPERATION, MODEL, CONSENSUS, "java..")
                  .or(type(Bytes.class)));

  @ArchTest
  static final ArchRule commandsDependOnSessionsAndTheContractOnly =
      classes()
          .that()
          .resideInAPackage(COMMAND)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(COMMAND, SESSION, OPERATION, MODEL, CONSENSUS, "java..")
                  .or(type(DecodeException.class)));

  @ArchTest
  static final ArchRule commandsDependOnNoSettingClockOrRandomness =
      noClasses()
          .that()
          .resideInAnyPackage(COMMAND, SESSION)
          .should()
          .dependOnClassesThat(
              resideInAPackage("java.time..")
                  .or(assignableTo(Random.class))
                  .or(nameMatching("io\\.quorate\\.protocol\\.operation\\.Limits")))
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "getProperty", String.class);

  /** The rules above select classes by package; a class that has moved would not be checked. */
  @ArchTest
  static void everyDeterministicClassIsChecked(JavaClasses all) {
    assertThat(DETERMINISTIC).allMatch(name -> all.contain("io.quorate.storage." + name));
  }
}
