package io.quorate.benchmarks;

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
import static io.quorate.benchmarks.Modules.BENCHMARKS;
import static io.quorate.benchmarks.Modules.CLIENT;
import static io.quorate.benchmarks.Modules.CLIENT_TESTING;
import static io.quorate.benchmarks.Modules.COMMAND;
import static io.quorate.benchmarks.Modules.COMMON;
import static io.quorate.benchmarks.Modules.CONNECT;
import static io.quorate.benchmarks.Modules.CONSENSUS;
import static io.quorate.benchmarks.Modules.DEVICE;
import static io.quorate.benchmarks.Modules.ERASURE;
import static io.quorate.benchmarks.Modules.FRAME;
import static io.quorate.benchmarks.Modules.LOCAL_CLUSTER;
import static io.quorate.benchmarks.Modules.OPERATION;
import static io.quorate.benchmarks.Modules.OURS;
import static io.quorate.benchmarks.Modules.QUORUM;
import static io.quorate.benchmarks.Modules.RABIA;
import static io.quorate.benchmarks.Modules.RATIS;
import static io.quorate.benchmarks.Modules.SERVER;
import static io.quorate.benchmarks.Modules.SESSION;
import static io.quorate.benchmarks.Modules.SIMULATION;
import static io.quorate.benchmarks.Modules.SNAPSHOT;
import static io.quorate.benchmarks.Modules.STORAGE;
import static io.quorate.benchmarks.Modules.TORTURE;
import static io.quorate.benchmarks.Modules.TRANSPORT;
import static io.quorate.benchmarks.Modules.YCSB_BINDING;
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
import io.quorate.client.NodeToNode;
import io.quorate.common.Bytes;
import io.quorate.common.DecodeException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Dependencies have one direction: from the server to engines, storage and client, and from these
 * to the contract. The module of this test has all others on its class path.
 */
@AnalyzeClasses(packages = "io.quorate", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {

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
  static final ArchRule commonClassesDependOnTheJdkOnly =
      classes()
          .that()
          .resideInAPackage(COMMON)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(COMMON, "java.."));

  @ArchTest
  static final ArchRule theContractDependsOnTheJdkOnly =
      classes()
          .that()
          .resideInAPackage(CONSENSUS)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(CONSENSUS, "java.."));

  @ArchTest
  static final ArchRule quorumReadsDependOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(QUORUM)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(QUORUM, CONSENSUS, COMMON, "java.."));

  @ArchTest
  static final ArchRule snapshotTransferDependsOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(SNAPSHOT)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(SNAPSHOT, CONSENSUS, COMMON, "java.."));

  @ArchTest
  static final ArchRule theTransportDependsOnTheContractAndNettyOnly =
      classes()
          .that()
          .resideInAPackage(TRANSPORT)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  TRANSPORT,
                  FRAME,
                  CONNECT,
                  CONSENSUS,
                  SNAPSHOT,
                  COMMON,
                  "io.netty..",
                  "org.slf4j..",
                  "java.."));

  @ArchTest
  static final ArchRule framesDependOnNettyOnly =
      classes()
          .that()
          .resideInAPackage(FRAME)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(FRAME, "io.netty..", "java.."));

  @ArchTest
  static final ArchRule connectingDependsOnNettyOnly =
      classes()
          .that()
          .resideInAPackage(CONNECT)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(CONNECT, COMMON, "io.netty..", "java.."));

  @ArchTest
  static final ArchRule onlyEnginesUseTheTransport =
      noClasses()
          .that()
          .resideOutsideOfPackages(TRANSPORT, RABIA, RATIS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(TRANSPORT);

  /** The rules above select classes by package; a package that has moved would not be checked. */
  @ArchTest
  static void theTransportIsChecked(JavaClasses all) {
    assertThat(all.contain("io.quorate.transport.PeerTransport")).isTrue();
  }

  @ArchTest
  static final ArchRule operationsDependOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(OPERATION)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(OPERATION, CONSENSUS, COMMON, "java.."));

  @ArchTest
  static final ArchRule storageDependsOnNoEngineAndNoNetwork =
      noClasses()
          .that()
          .resideInAPackage(STORAGE)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(not(resideInAnyPackage(STORAGE, CONSENSUS, OPERATION, COMMON)))
                  .or(resideInAnyPackage("org.apache.ratis..", "io.netty..")));

  /** The outcome of a command depends on replicated data only (decision 0021). */
  @ArchTest
  static final ArchRule sessionsDependOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(SESSION)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(SESSION, OPERATION, CONSENSUS, "java..").or(type(Bytes.class)));

  @ArchTest
  static final ArchRule commandsDependOnSessionsAndTheContractOnly =
      classes()
          .that()
          .resideInAPackage(COMMAND)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(COMMAND, SESSION, OPERATION, CONSENSUS, "java..")
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
                  .or(nameMatching("io\\.quorate\\.operation\\.Limits")))
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

  @ArchTest
  static final ArchRule theRaftEngineDependsOnTheContractOnly =
      noClasses()
          .that()
          .resideInAPackage(RATIS)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              RATIS, CONSENSUS, QUORUM, SNAPSHOT, TRANSPORT, COMMON)))
                  .or(resideInAnyPackage("org.rocksdb..", "io.netty..")));

  @ArchTest
  static final ArchRule theRabiaEngineDependsOnTheContractOnly =
      noClasses()
          .that()
          .resideInAPackage(RABIA)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              RABIA, CONSENSUS, QUORUM, SNAPSHOT, TRANSPORT, COMMON)))
                  .or(resideInAPackage("org.rocksdb..")));

  @ArchTest
  static final ArchRule theRabiaEngineIsUsedThroughTheContractOnly =
      noClasses()
          .that()
          .resideOutsideOfPackages(RABIA, SIMULATION, BENCHMARKS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(RABIA);

  @ArchTest
  static final ArchRule theClientDependsOnTheContractAndOperationsOnly =
      noClasses()
          .that()
          .resideInAPackage(CLIENT)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              CLIENT, CONNECT, CONSENSUS, OPERATION, QUORUM, FRAME, COMMON)))
                  .or(resideInAnyPackage("org.apache.ratis..", "org.rocksdb..")));

  /** Checks raw types and type arguments. */
  private static final ArchCondition<JavaMethod> MENTION_GENERATED_CLASSES =
      new ArchCondition<>("mention generated classes") {
        @Override
        public void check(JavaMethod method, ConditionEvents events) {
          if (!isVisibleToApplications(method.getOwner())) {
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

  private static boolean isVisibleToApplications(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(LayeringTest::isVisibleToApplications).orElse(true);
  }

  /** Except for the lookup of the topology, which nodes use. */
  @ArchTest
  static final ArchRule noGeneratedClassIsPartOfTheClientApi =
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
          .areNotDeclaredIn(NodeToNode.class)
          .should(MENTION_GENERATED_CLASSES);

  @ArchTest
  static final ArchRule theServerUsesEnginesThroughTheContractOnly =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              SERVER, STORAGE, CLIENT, CONSENSUS, OPERATION, QUORUM, FRAME,
                              COMMON))));

  /** So that a node, a verb and a test may use it alike. */
  @ArchTest
  static final ArchRule devicesAreMeasuredAndJudgedWithoutTheServer =
      classes()
          .that()
          .resideInAPackage(DEVICE)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  DEVICE,
                  COMMON,
                  "org.apache.commons.math3..",
                  "org.slf4j..",
                  "com.sun.nio.file..",
                  "java.."));

  /** A canary names the classes that it changes by text, and does not depend on them. */
  @ArchTest
  static final ArchRule theTortureDependsOnClustersClientsAndTheRabiaCore =
      noClasses()
          .that()
          .resideInAPackage(TORTURE)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              TORTURE,
                              "io.quorate.storage..",
                              LOCAL_CLUSTER,
                              CLIENT,
                              CONSENSUS,
                              OPERATION,
                              QUORUM,
                              RABIA,
                              COMMON)))
                  .or(resideInAnyPackage("org.apache.ratis..", "org.rocksdb..", "io.netty..")));

  @ArchTest
  static final ArchRule erasureCodesDependOnTheirCodersOnly =
      classes()
          .that()
          .resideInAPackage(ERASURE)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  ERASURE,
                  COMMON,
                  "com.backblaze.erasure..",
                  "jdk.incubator.vector..",
                  "com.sun.management..",
                  "org.slf4j..",
                  "java.."));

  @ArchTest
  static final ArchRule onlyTheDevClusterUsesTheTestSupportOfTheClient =
      noClasses()
          .that()
          .resideOutsideOfPackages(CLIENT_TESTING, LOCAL_CLUSTER, TORTURE, BENCHMARKS)
          .and()
          .doNotHaveFullyQualifiedName("io.quorate.server.ClassTraining")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(CLIENT_TESTING);

  @ArchTest
  static final ArchRule nothingDependsOnTheBenchmarks =
      noClasses()
          .that()
          .resideOutsideOfPackage(BENCHMARKS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(BENCHMARKS);

  /** Its jar contains the packages named here. */
  @ArchTest
  static final ArchRule theBindingForYcsbDependsOnTheClientOnly =
      classes()
          .that()
          .resideInAPackage(YCSB_BINDING)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                  YCSB_BINDING, "io.quorate.client", COMMON, CONSENSUS, "site.ycsb..", "java.."));

  @ArchTest
  static final ArchRule onlyTheBenchmarksUseTheTorture =
      noClasses()
          .that()
          .resideOutsideOfPackages(TORTURE, BENCHMARKS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(TORTURE);

  @ArchTest
  static final ArchRule onlyTheCommandLineAndTheDevClusterExit =
      noClasses()
          .that()
          .resideInAnyPackage(OURS)
          .and()
          .haveNameNotMatching("io\\.quorate\\.(server|benchmarks)\\.(Main|NodeMain)(\\$.*)?")
          .and()
          .resideOutsideOfPackage(LOCAL_CLUSTER)
          .should()
          .callMethod(System.class, "exit", int.class);

  /** Each package is a slice, also one that contains other packages. */
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
