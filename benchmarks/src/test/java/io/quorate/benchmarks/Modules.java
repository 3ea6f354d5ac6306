package io.quorate.benchmarks;

/** The packages that rules about dependencies name, with those in them. */
final class Modules {
  static final String COMMON = "io.quorate.common..";
  static final String CONNECT = "io.quorate.connect..";
  static final String CONSENSUS = "io.quorate.consensus..";
  static final String FRAME = "io.quorate.frame..";
  static final String QUORUM = "io.quorate.quorum..";
  static final String SNAPSHOT = "io.quorate.snapshot..";
  static final String TRANSPORT = "io.quorate.transport..";
  static final String OPERATION = "io.quorate.operation..";
  static final String STORAGE = "io.quorate.storage..";
  static final String COMMAND = "io.quorate.storage.command..";
  static final String SESSION = "io.quorate.storage.session..";
  static final String RATIS = "io.quorate.ratis..";
  static final String ERASURE = "io.quorate.ratis.erasure..";
  static final String RABIA = "io.quorate.rabia..";
  static final String CLIENT = "io.quorate.client..";
  static final String CLIENT_TESTING = "io.quorate.client.testing..";
  static final String SERVER = "io.quorate.server..";
  static final String DEVICE = "io.quorate.server.device..";
  static final String LOCAL_CLUSTER = "io.quorate.server.localcluster..";
  static final String TORTURE = "io.quorate.torture..";
  static final String HISTORY = "io.quorate.torture.history..";
  static final String SIMULATION = "io.quorate.torture.simulation..";
  static final String BENCHMARKS = "io.quorate.benchmarks..";
  static final String PLOT = "io.quorate.benchmarks.plot..";
  static final String YCSB_BINDING = "io.quorate.benchmarks.ycsb";
  static final String OURS = "io.quorate..";

  private Modules() {}
}
