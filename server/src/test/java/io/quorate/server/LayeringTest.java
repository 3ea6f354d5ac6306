package io.quorate.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.quorate.client.TopologyLookup;
import io.quorate.operation.DecodeException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Dependencies point one way: server to engines, storage and client, and these to the contract. */
@AnalyzeClasses(packages = "io.quorate", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
  private static final String FAILPOINT = "io.quorate.failpoint..";
  private static final String CONSENSUS = "io.quorate.consensus..";
  private static final String LOOPBACK = "io.quorate.loopback..";
  private static final String OPERATION = "io.quorate.operation..";
  private static final String STORAGE = "io.quorate.storage..";
  private static final String RATIS = "io.quorate.ratis..";
  private static final String RABIA = "io.quorate.rabia..";
  private static final String CLIENT = "io.quorate.client..";
  private static final String CLIENT_TESTING = "io.quorate.client.testing..";
  private static final String SERVER = "io.quorate.server..";
  private static final String OURS = "io.quorate..";

  /** What decides the outcome of a command, in the package of storage. */
  private static final List<String> DETERMINISTIC =
      List.of(
          "OperationExecutor",
          "DecimalNumber",
          "EarlyReply",
          "SessionTable",
          "Session",
          "MergeChain",
          "PendingVersions");

  @ArchTest
  static final ArchRule theContractNeedsNothingButTheJdk =
      classes()
          .that()
          .resideInAPackage(CONSENSUS)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(CONSENSUS, "java.."));

  @ArchTest
  static final ArchRule operationsNeedTheContractOnly =
      classes()
          .that()
          .resideInAPackage(OPERATION)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(OPERATION, CONSENSUS, "java.."));

  @ArchTest
  static final ArchRule storageKnowsNoEngineAndNoNetwork =
      noClasses()
          .that()
          .resideInAPackage(STORAGE)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(not(resideInAnyPackage(STORAGE, CONSENSUS, OPERATION, FAILPOINT)))
                  .or(resideInAnyPackage("org.apache.ratis..", "io.netty..")));

  /** Replicas decide by what is replicated alone (decision 0021). */
  @ArchTest
  static final ArchRule whatACommandDoesDependsOnNoSettingClockOrChance =
      noClasses()
          .that()
          .haveNameMatching(
              "io\\.quorate\\.storage\\.(" + String.join("|", DETERMINISTIC) + ")(\\$.*)?")
          .should()
          .dependOnClassesThat(
              resideInAPackage("java.time..")
                  .or(assignableTo(Random.class))
                  .or(nameMatching("io\\.quorate\\.storage\\.Storage(Options|Context)"))
                  .or(nameMatching("io\\.quorate\\.operation\\.Limits")))
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "getProperty", String.class);

  /** A rule about classes that were renamed would hold for nothing. */
  @ArchTest
  static void everyClassThatDecidesIsChecked(JavaClasses all) {
    assertThat(DETERMINISTIC).allMatch(name -> all.contain("io.quorate.storage." + name));
  }

  @ArchTest
  static final ArchRule theRaftEngineKnowsTheContractOnly =
      noClasses()
          .that()
          .resideInAPackage(RATIS)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(not(resideInAnyPackage(RATIS, CONSENSUS, FAILPOINT)))
                  .or(resideInAnyPackage("org.rocksdb..", "io.netty..")));

  @ArchTest
  static final ArchRule theRabiaEngineKnowsTheContractOnly =
      noClasses()
          .that()
          .resideInAPackage(RABIA)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(not(resideInAnyPackage(RABIA, CONSENSUS, FAILPOINT)))
                  .and(not(type(DecodeException.class)))
                  .or(resideInAPackage("org.rocksdb..")));

  @ArchTest
  static final ArchRule nobodyKnowsTheRabiaEngineButByTheContract =
      noClasses()
          .that()
          .resideOutsideOfPackages(RABIA, "io.quorate.benchmarks..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(RABIA);

  @ArchTest
  static final ArchRule theClientKnowsTheVocabularyOnly =
      noClasses()
          .that()
          .resideInAPackage(CLIENT)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(not(resideInAnyPackage(CLIENT, CONSENSUS, OPERATION)))
                  .or(resideInAnyPackage("org.apache.ratis..", "org.rocksdb..")));

  /** Raw types and those in angle brackets. */
  private static final ArchCondition<JavaMethod> MENTION_GENERATED_CLASSES =
      new ArchCondition<>("mention generated classes") {
        @Override
        public void check(JavaMethod method, ConditionEvents events) {
          if (!isOfApplications(method.getOwner())) {
            return;
          }
          Stream.concat(Stream.of(method.getReturnType()), method.getParameterTypes().stream())
              .flatMap(type -> type.getAllInvolvedRawTypes().stream())
              .filter(type -> type.getPackageName().equals("io.quorate.client.wire.v1"))
              .forEach(
                  type ->
                      events.add(
                          SimpleConditionEvent.satisfied(
                              method, method.getFullName() + " mentions " + type.getName())));
        }
      };

  private static boolean isOfApplications(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(LayeringTest::isOfApplications).orElse(true);
  }

  /** But for what nodes need of the client. */
  @ArchTest
  static final ArchRule noGeneratedClassIsPartOfTheClientsInterface =
      noMethods()
          .that()
          .arePublic()
          .and()
          .areDeclaredInClassesThat()
          .arePublic()
          .and()
          .areDeclaredInClassesThat()
          .resideInAnyPackage("io.quorate.client", CLIENT_TESTING)
          .and()
          .areNotDeclaredIn(TopologyLookup.class)
          .should(MENTION_GENERATED_CLASSES);

  @ArchTest
  static final ArchRule theServerFindsEnginesByTheContract =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              SERVER, STORAGE, CLIENT, CONSENSUS, OPERATION, FAILPOINT,
                              LOOPBACK))));

  @ArchTest
  static final ArchRule onlyTheRaftEngineTouchesRatis =
      noClasses()
          .that()
          .resideOutsideOfPackage(RATIS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.ratis..");

  @ArchTest
  static final ArchRule onlyStorageTouchesRocksDb =
      noClasses()
          .that()
          .resideOutsideOfPackage(STORAGE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.rocksdb..");

  @ArchTest
  static final ArchRule onlyTheTestSupportOfTheClientTouchesTestcontainers =
      noClasses()
          .that()
          .resideOutsideOfPackage(CLIENT_TESTING)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.testcontainers..", "com.github.dockerjava..");

  @ArchTest
  static final ArchRule whatApplicationsBringIsTouchedInOnePlaceEach =
      noClasses()
          .that()
          .resideInAPackage(CLIENT)
          .and()
          .resideOutsideOfPackage(CLIENT_TESTING)
          .and(not(nameMatching("io\\.quorate\\.client\\.ClientMetrics(\\$.*)?")))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.junit..", "io.micrometer..");

  @ArchTest
  static final ArchRule onlyTheDevClusterKnowsTheTestSupportOfTheClient =
      noClasses()
          .that()
          .resideOutsideOfPackages(CLIENT_TESTING, "io.quorate.server.localcluster..")
          .and()
          .doNotHaveFullyQualifiedName("io.quorate.server.ClassTraining")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(CLIENT_TESTING);

  @ArchTest
  static final ArchRule nobodyNeedsTheBenchmarks =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.quorate.benchmarks..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.quorate.benchmarks..");

  @ArchTest
  static final ArchRule onlyTheCommandLineAndTheDevClusterExit =
      noClasses()
          .that()
          .resideInAnyPackage(OURS)
          .and()
          .haveNameNotMatching("io\\.quorate\\.server\\.(Main|NodeMain)(\\$.*)?")
          .and()
          .resideOutsideOfPackage("io.quorate.server.localcluster..")
          .should()
          .callMethod(System.class, "exit", int.class);

  /** Every package is a part of its own, those that contain packages included. */
  @ArchTest
  static final ArchRule noCyclesBetweenPackages =
      slices().assignedFrom(new EachPackage()).should().beFreeOfCycles();

  private static final class EachPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "each package";
    }
  }
}
