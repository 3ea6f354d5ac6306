package io.quorate.benchmarks.paper.result;

/** The metrics of a system under a load. */
public enum Metric {
  THROUGHPUT("throughput", "ops/s"),
  READ_MEAN("read-mean", "ms"),
  READ_P50("read-p50", "ms"),
  READ_P99("read-p99", "ms"),
  WRITE_MEAN("write-mean", "ms"),
  WRITE_P50("write-p50", "ms"),
  WRITE_P99("write-p99", "ms"),
  SCAN_P50("scan-p50", "ms"),
  SCAN_P99("scan-p99", "ms"),
  ERRORS("errors", "calls"),
  OFFERED("offered", "calls/s"),
  DROPPED("dropped", "% of the calls offered"),
  SEND_DELAY_P99("send-delay-p99", "ms after the intended start"),
  LOAD_AVERAGE("load-average", "processes that run or wait, over a minute"),
  CPU_PER_CALL("cpu-per-call", "µs of all nodes"),
  CPU("cpu", "% of a core, all nodes"),
  SWITCHES_PER_CALL("context-switches-per-call", "of all nodes"),
  CPU_BUSIEST("cpu-busiest-node", "% of a core"),
  CPU_MACHINE("cpu-of-machine", "% of all cores, with everything that runs"),
  LATENCY_FLOOR("latency-floor", "% of the median latency"),
  CORES("cores", "% of all cores, all nodes"),
  DISK_BANDWIDTH("disk-bandwidth", "% of the measured bandwidth"),
  COMMANDS_PER_BATCH("commands-per-batch", "commands"),
  MESSAGES_PER_BATCH("messages-per-batch", "messages"),
  MESSAGES_PER_COMMAND("messages-per-command", "messages"),
  SYNCS_PER_BATCH("fsyncs-per-batch-and-replica", "fsyncs"),
  SYNCS_PER_COMMAND("fsyncs-per-command", "fsyncs"),
  SYNCS_PER_SECOND("fsyncs-per-second", "of the logs of a node, mean"),
  FAST_PATH("fast-path", "% of batches"),
  READ_INDEX("read-index-rate", "positions/s"),
  APPLIED_INDEX("applied-index-rate", "positions/s"),
  GAP("apply-gap", "positions"),
  GAP_MAX("apply-gap-most", "positions"),
  LAG("apply-lag", "ms"),
  COMMIT_TO_APPLY("commit-to-apply", "ms, mean of commands at the leader"),
  APPLY_SHARE("apply-share", "of the mean time of a write, between commit and apply"),
  READS_AT_LEADER("reads-at-leader", "% of responses to reads"),
  READS_AT_BUSIEST("reads-at-busiest-node", "% of responses to reads"),
  QUOTA_AT_LEADER("quota-at-leader", "% of its CPU quota"),
  QUOTA_AT_BUSIEST("quota-at-busiest-follower", "% of its CPU quota"),
  QUOTA_AT_IDLEST("quota-at-idlest-follower", "% of its CPU quota"),
  CPU_AT_LEADER("cpu-at-leader", "% of all nodes'"),
  LEADER_SENT("leader-sent", "KiB per value, to the other nodes"),
  LEADER_STORED("leader-stored", "KiB per value, growth of the files"),
  FOLLOWER_STORED("follower-stored", "KiB per value, growth of the files, mean"),
  WRITTEN("written", "KiB per value, to disk, mean of all nodes"),
  WRITTEN_PER_BYTE("written-per-byte", "bytes to disk, mean of all nodes"),
  LEADERS_AT_SLOWEST("leaders-at-slowest", "% of leaders, on devices of the slowest class"),
  REPLICAS_AT_SLOWEST("replicas-at-slowest", "% of replicas, on devices of the slowest class"),
  SPEED_RATIO("speed-ratio", "estimated speed of the fastest device over that of the slowest"),
  LEADERS_GONE("leaders-gone", "s after devices became slow"),
  LEADERS_BACK("leaders-back", "s after devices were well again"),
  WRITE_P99_SLOW("write-p99-slow", "ms, while devices are slow"),
  WRITE_P99_RESTORED("write-p99-restored", "s after devices became slow"),
  FIRST_READ("first-read", "ms, mean"),
  TEN_READS("ten-reads", "ms, mean");

  private final String label;
  private final String unit;

  Metric(String label, String unit) {
    this.label = label;
    this.unit = unit;
  }

  /** The name in reports. */
  public String label() {
    return label;
  }

  public String unit() {
    return unit;
  }
}
