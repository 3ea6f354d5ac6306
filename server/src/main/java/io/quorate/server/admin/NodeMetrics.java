package io.quorate.server.admin;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.quorate.server.logging.StandardError;
import java.util.Map;

/**
 * The metrics of one node: those of the process, and those that are registered with its telemetry.
 * Each has the labels {@code cluster} and {@code node}.
 */
public final class NodeMetrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MicrometerTelemetry telemetry = new MicrometerTelemetry(registry);
  private final JvmGcMetrics garbageCollection = new JvmGcMetrics();

  /**
   * @param cluster the name of the cluster
   * @param node the name of the node
   * @param version the version of the program
   */
  public NodeMetrics(String cluster, String node, String version) {
    registry.config().commonTags("cluster", cluster, "node", node);
    telemetry.gauge(
        "build.info",
        "1, with the version of the program and of Java as labels",
        Map.of("version", version, "java", Runtime.version().toString()),
        () -> 1);
    telemetry.counter(
        "log.lines.dropped",
        "Lines of the log of this process that were dropped, because standard error did not accept"
            + " them",
        Map.of(),
        StandardError::dropped);
    garbageCollection.bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
  }

  public MicrometerTelemetry telemetry() {
    return telemetry;
  }

  public PrometheusMeterRegistry registry() {
    return registry;
  }

  @Override
  public void close() {
    garbageCollection.close();
    registry.close();
  }
}
