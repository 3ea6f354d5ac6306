package io.quorate.benchmarks;

/** The packages that rules about dependencies name, with those in them. */
final class Modules {
  static final String COMMON = "io.quorate.common..";
  static final String CONNECT = "io.quorate.protocol.connect..";
  static final String TLS = "io.quorate.protocol.tls..";
  static final String CONSENSUS = "io.quorate.consensus..";
  static final String FRAME = "io.quorate.protocol.frame..";
  static final String MODEL = "io.quorate.model..";
  static final String QUORUM = "io.quorate.quorum..";
  static final String PROTOCOL = "io.quorate.protocol..";
  static final String WIRE = "io.quorate.protocol.wire..";
  static final String REPLICATION = "io.quorate.replication..";
  static final String SNAPSHOT = "io.quorate.replication.snapshot..";
  static final String TRANSPORT = "io.quorate.replication.transport..";
  static final String OPERATION = "io.quorate.protocol.operation..";
  static final String STORAGE = "io.quorate.storage..";
  static final String RATIS = "io.quorate.ratis..";
  static final String ERASURE = "io.quorate.replication.erasure..";
  static final String RABIA = "io.quorate.rabia..";
  static final String CLIENT = "io.quorate.client..";
  static final String CLIENT_INTERNAL = "io.quorate.client.internal..";
  static final String TESTING = "io.quorate.testing..";
  static final String SERVER = "io.quorate.server..";
  static final String DEVICE = "io.quorate.server.device..";
  static final String LOCAL_CLUSTER = "io.quorate.server.localcluster..";
  static final String TORTURE = "io.quorate.torture..";
  static final String HISTORY = "io.quorate.torture.history..";
  static final String TESTBED = "io.quorate.torture.testbed..";
  static final String SIMULATION = "io.quorate.torture.simulation..";

  /** Sees every decoder. */
  static final String FUZZ = "io.quorate.torture.fuzz..";

  static final String BENCHMARKS = "io.quorate.benchmarks..";
  static final String PLOT = "io.quorate.benchmarks.plot..";
  static final String YCSB_BINDING = "io.quorate.benchmarks.ycsb";
  static final String OURS = "io.quorate..";

  private Modules() {}
}
