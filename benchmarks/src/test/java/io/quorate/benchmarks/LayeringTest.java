package io.quorate.benchmarks;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.quorate.benchmarks.Modules.BENCHMARKS;
import static io.quorate.benchmarks.Modules.CLIENT;
import static io.quorate.benchmarks.Modules.CLIENT_INTERNAL;
import static io.quorate.benchmarks.Modules.COMMON;
import static io.quorate.benchmarks.Modules.CONNECT;
import static io.quorate.benchmarks.Modules.CONSENSUS;
import static io.quorate.benchmarks.Modules.DEVICE;
import static io.quorate.benchmarks.Modules.ERASURE;
import static io.quorate.benchmarks.Modules.FRAME;
import static io.quorate.benchmarks.Modules.FUZZ;
import static io.quorate.benchmarks.Modules.LOCAL_CLUSTER;
import static io.quorate.benchmarks.Modules.MODEL;
import static io.quorate.benchmarks.Modules.OPERATION;
import static io.quorate.benchmarks.Modules.OURS;
import static io.quorate.benchmarks.Modules.PROTOCOL;
import static io.quorate.benchmarks.Modules.QUORUM;
import static io.quorate.benchmarks.Modules.RABIA;
import static io.quorate.benchmarks.Modules.RATIS;
import static io.quorate.benchmarks.Modules.REPLICATION;
import static io.quorate.benchmarks.Modules.SERVER;
import static io.quorate.benchmarks.Modules.SIMULATION;
import static io.quorate.benchmarks.Modules.SNAPSHOT;
import static io.quorate.benchmarks.Modules.STORAGE;
import static io.quorate.benchmarks.Modules.TESTBED;
import static io.quorate.benchmarks.Modules.TESTING;
import static io.quorate.benchmarks.Modules.TORTURE;
import static io.quorate.benchmarks.Modules.TRANSPORT;
import static io.quorate.benchmarks.Modules.YCSB_BINDING;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
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
import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.Codec;
import io.quorate.client.NodeToNode;
import io.quorate.client.QuorateClient;
import java.util.stream.Stream;

/**
 * Dependencies have one direction: from the server to engines, storage and client, and from these
 * to the contract. The module of this test has all others on its class path.
 */
@AnalyzeClasses(packages = "io.quorate", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {

  @ArchTest
  static final ArchRule commonClassesDependOnTheJdkOnly =
      classes()
          .that()
          .resideInAPackage(COMMON)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(COMMON, "java.."));

  @ArchTest
  static final ArchRule whatAllNameDependsOnTheJdkOnly =
      classes()
          .that()
          .resideInAPackage(MODEL)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(MODEL, "java.."));

  @ArchTest
  static final ArchRule theContractDependsOnTheJdkOnly =
      classes()
          .that()
          .resideInAPackage(CONSENSUS)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(MODEL, CONSENSUS, "javax.net.ssl..", "java.."));

  @ArchTest
  static final ArchRule quorumReadsDependOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(QUORUM)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(QUORUM, MODEL, CONSENSUS, COMMON, "java.."));

  @ArchTest
  static final ArchRule snapshotTransferDependsOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(SNAPSHOT)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(SNAPSHOT, MODEL, CONSENSUS, COMMON, "java.."));

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
                  MODEL,
                  CONSENSUS,
                  SNAPSHOT,
                  COMMON,
                  "io.netty..",
                  "org.slf4j..",
                  "javax.net.ssl..",
                  "java.."));

  @ArchTest
  static final ArchRule framesDependOnNettyOnly =
      classes()
          .that()
          .resideInAPackage(FRAME)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(FRAME, "io.netty..", "javax.net.ssl..", "java.."));

  @ArchTest
  static final ArchRule connectingDependsOnNettyOnly =
      classes()
          .that()
          .resideInAPackage(CONNECT)
          .should()
          .onlyDependOnClassesThat(resideInAnyPackage(CONNECT, COMMON, "io.netty..", "java.."));

  @ArchTest
  static final ArchRule onlyEnginesUseWhatTheyShare =
      noClasses()
          .that()
          .resideOutsideOfPackages(REPLICATION, RABIA, RATIS, FUZZ, BENCHMARKS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(REPLICATION);

  /** Each engine may use it. */
  @ArchTest
  static final ArchRule whatEnginesShareDependsOnNoEngineAndNoOperation =
      noClasses()
          .that()
          .resideInAPackage(REPLICATION)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              REPLICATION, FRAME, CONNECT, QUORUM, MODEL, CONSENSUS, COMMON)))
                  .or(resideInAnyPackage("org.apache.ratis..", "org.rocksdb..")));

  @ArchTest
  static final ArchRule theProtocolOfClientsDependsOnTheContractOnly =
      noClasses()
          .that()
          .resideInAPackage(PROTOCOL)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(not(resideInAnyPackage(PROTOCOL, QUORUM, MODEL, CONSENSUS, COMMON))));

  /** The rules above select classes by package; a package that has moved would not be checked. */
  @ArchTest
  static void theTransportIsChecked(JavaClasses all) {
    assertThat(all.contain("io.quorate.replication.transport.PeerTransport")).isTrue();
  }

  @ArchTest
  static final ArchRule operationsDependOnTheContractOnly =
      classes()
          .that()
          .resideInAPackage(OPERATION)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(OPERATION, MODEL, CONSENSUS, COMMON, "java.."));

  @ArchTest
  static final ArchRule theRaftEngineDependsOnTheContractOnly =
      noClasses()
          .that()
          .resideInAPackage(RATIS)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(resideInAnyPackage(RATIS, MODEL, CONSENSUS, QUORUM, REPLICATION, COMMON)))
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
                      not(resideInAnyPackage(RABIA, MODEL, CONSENSUS, QUORUM, REPLICATION, COMMON)))
                  .or(resideInAPackage("org.rocksdb..")));

  @ArchTest
  static final ArchRule theRabiaEngineIsUsedThroughTheContractOnly =
      noClasses()
          .that()
          .resideOutsideOfPackages(RABIA, SIMULATION, FUZZ, BENCHMARKS)
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
                  .and(not(resideInAnyPackage(CLIENT, PROTOCOL, MODEL, QUORUM, COMMON)))
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
              .filter(type -> type.getPackageName().equals("io.quorate.protocol.wire.v1"))
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
          .resideInAnyPackage("io.quorate.client", "io.quorate.client.cluster", TESTING)
          .and()
          .areNotDeclaredIn(NodeToNode.class)
          .should(MENTION_GENERATED_CLASSES);

  /** What opens a client or returns a codec, and what nodes request of each other by it. */
  private static final DescribedPredicate<JavaClass> ENTRANCES =
      type(AsyncQuorateClient.class)
          .or(type(QuorateClient.class))
          .or(type(Codec.class))
          .or(type(NodeToNode.class));

  @ArchTest
  static final ArchRule theInternalsOfTheClientAreItsOwn =
      noClasses()
          .that(not(resideInAnyPackage(CLIENT_INTERNAL, FUZZ).or(ENTRANCES)))
          .should()
          .dependOnClassesThat()
          .resideInAPackage(CLIENT_INTERNAL);

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
                              SERVER, STORAGE, CLIENT, PROTOCOL, MODEL, CONSENSUS, QUORUM,
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
          .and()
          .resideOutsideOfPackage(FUZZ)
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
                              MODEL,
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
  static final ArchRule nothingUsesTheTestSupportOfApplications =
      noClasses()
          .that()
          .resideOutsideOfPackage(TESTING)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(TESTING);

  @ArchTest
  static final ArchRule theTestSupportUsesClusterAndClientOnly =
      noClasses()
          .that()
          .resideInAPackage(TESTING)
          .should()
          .dependOnClassesThat(
              resideInAPackage(OURS)
                  .and(
                      not(
                          resideInAnyPackage(
                              TESTING,
                              LOCAL_CLUSTER,
                              "io.quorate.client",
                              "io.quorate.client.cluster",
                              MODEL,
                              COMMON))));

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
                  YCSB_BINDING, "io.quorate.client", COMMON, MODEL, "site.ycsb..", "java.."));

  @ArchTest
  static final ArchRule onlyTheBenchmarksUseTheTorture =
      noClasses()
          .that()
          .resideOutsideOfPackages(TORTURE, BENCHMARKS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(TORTURE);

  @ArchTest
  static final ArchRule theTestbedUsesNothingElseOfTheTorture =
      noClasses()
          .that()
          .resideInAPackage(TESTBED)
          .should()
          .dependOnClassesThat(resideInAPackage(TORTURE).and(not(resideInAPackage(TESTBED))));

  @ArchTest
  static final ArchRule measurementsUseTheTestbedOfTheTortureOnly =
      noClasses()
          .that()
          .resideInAPackage(BENCHMARKS)
          .and()
          .resideOutsideOfPackages(
              "io.quorate.benchmarks.torture..",
              "io.quorate.benchmarks.simulate..",
              "io.quorate.benchmarks.fuzz..")
          .should()
          .dependOnClassesThat(resideInAPackage(TORTURE).and(not(resideInAPackage(TESTBED))));

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
      slices()
          .assignedFrom(new EachPackage())
          .should()
          .beFreeOfCycles()
          .ignoreDependency(ENTRANCES, resideInAPackage(CLIENT_INTERNAL));

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
