package io.quorate.benchmarks;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.quorate.benchmarks.Modules.BENCHMARKS;
import static io.quorate.benchmarks.Modules.CLIENT;
import static io.quorate.benchmarks.Modules.CONNECT;
import static io.quorate.benchmarks.Modules.DEVICE;
import static io.quorate.benchmarks.Modules.ERASURE;
import static io.quorate.benchmarks.Modules.FRAME;
import static io.quorate.benchmarks.Modules.FUZZ;
import static io.quorate.benchmarks.Modules.HISTORY;
import static io.quorate.benchmarks.Modules.OURS;
import static io.quorate.benchmarks.Modules.PLOT;
import static io.quorate.benchmarks.Modules.RABIA;
import static io.quorate.benchmarks.Modules.RATIS;
import static io.quorate.benchmarks.Modules.SERVER;
import static io.quorate.benchmarks.Modules.STORAGE;
import static io.quorate.benchmarks.Modules.TESTING;
import static io.quorate.benchmarks.Modules.TLS;
import static io.quorate.benchmarks.Modules.TRANSPORT;
import static io.quorate.benchmarks.Modules.WIRE;
import static io.quorate.benchmarks.Modules.YCSB_BINDING;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Each library of others is used in one place, where it can be replaced. The module of this test
 * has all others on its class path.
 */
@AnalyzeClasses(packages = "io.quorate", importOptions = ImportOption.DoNotIncludeTests.class)
class LibraryUseTest {
  /** The contract does not. */
  @ArchTest
  static final ArchRule onlyPackagesWithConnectionsUseNetty =
      noClasses()
          .that()
          .resideInAPackage(OURS)
          .and()
          .resideOutsideOfPackages(
              TRANSPORT, FRAME, CONNECT, TLS, WIRE, RABIA, CLIENT, SERVER, FUZZ, BENCHMARKS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule onlyTheSpeedOfDevicesUsesCommonsMath =
      noClasses()
          .that()
          .resideInAPackage(OURS)
          .and()
          .resideOutsideOfPackage(DEVICE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.commons.math3..");

  @ArchTest
  static final ArchRule onlyPlotsUseXChart =
      noClasses()
          .that()
          .resideInAPackage(OURS)
          .and()
          .resideOutsideOfPackage(PLOT)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.knowm..", "java.awt..");

  /** Applications do not get a library for JSON with the client (decisions 0043 and 0079). */
  @ArchTest
  static final ArchRule onlyHistoriesAndTheCodecsForJsonUseJackson =
      noClasses()
          .that()
          .resideInAPackage(OURS)
          .and()
          .resideOutsideOfPackage(HISTORY)
          .and(not(nameMatching("io\\.quorate\\.client\\.internal\\.map\\.Jackson[23]")))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("tools.jackson..", "com.fasterxml..");

  @ArchTest
  static final ArchRule onlyTheRaftEngineUsesRatis =
      noClasses()
          .that()
          .resideOutsideOfPackage(RATIS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.ratis..");

  @ArchTest
  static final ArchRule onlyErasureCodesUseBackblazesCoder =
      noClasses()
          .that()
          .resideOutsideOfPackage(ERASURE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.backblaze..");

  /** A JVM without the module loads all other classes. */
  @ArchTest
  static final ArchRule oneClassUsesTheModuleOfTheVectorApi =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName("io.quorate.replication.erasure.VectorMultiplication")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("jdk.incubator..");

  @ArchTest
  static final ArchRule onlyStorageUsesRocksDb =
      noClasses()
          .that()
          .resideOutsideOfPackage(STORAGE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.rocksdb..");

  @ArchTest
  static final ArchRule onlyTheTestSupportUsesTestcontainers =
      noClasses()
          .that()
          .resideOutsideOfPackage(TESTING)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.testcontainers..", "com.github.dockerjava..");

  @ArchTest
  static final ArchRule eachLibraryThatApplicationsProvideIsUsedInOnePlace =
      noClasses()
          .that()
          .resideInAPackage(CLIENT)
          .and(not(nameMatching("io\\.quorate\\.client\\.Client(Metrics|Observations)(\\$.*)?")))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.junit..", "io.micrometer..");

  @ArchTest
  static final ArchRule onlyTheBindingForYcsbUsesYcsb =
      noClasses()
          .that()
          .resideOutsideOfPackages(YCSB_BINDING + "..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("site.ycsb..");

  @ArchTest
  static final ArchRule theProgramUsesNoTestLibrary =
      noClasses()
          .that()
          .resideInAPackage(OURS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.assertj..", "org.awaitility..");
}
