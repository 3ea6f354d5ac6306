package io.quorate.client.internal.call;

import io.quorate.client.CallListener;
import io.quorate.client.CallOperation;
import io.quorate.client.CallReport;
import io.quorate.client.CallStart;
import io.quorate.client.QuorateException;
import io.quorate.common.LogLimit;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What listeners see of one call of an application, which may take several requests. Begins and
 * ends on any thread; everything between is used by the event loop only. Does not throw.
 */
public final class ObservedCall {
  /** A call that nobody observes. */
  public static final ObservedCall NONE = new ObservedCall(List.of(), CallOperation.READY);

  private static final Logger LOG = LoggerFactory.getLogger(ObservedCall.class);

  /** Of all clients: a listener that fails does so at each call. */
  private static final LogLimit FAILURES = LogLimit.oneAMinute();

  private final CallOperation operation;
  private final long startNanos = System.nanoTime();
  private final List<CallListener.Handle> handles;
  private int attempts;
  private int retries;
  private boolean admitted;
  private Optional<GroupId> region = Optional.empty();
  private Optional<NodeId> node = Optional.empty();

  private ObservedCall(List<CallListener.Handle> handles, CallOperation operation) {
    this.handles = handles;
    this.operation = operation;
  }

  static ObservedCall begin(List<CallListener> listeners, CallOperation operation) {
    List<CallListener.Handle> handles = new ArrayList<>(listeners.size());
    CallStart start = new CallStart(operation);
    for (CallListener listener : listeners) {
      guarded(() -> handles.add(Objects.requireNonNull(listener.begin(start), "handle")));
    }
    ObservedCall call = new ObservedCall(handles, operation);
    if (!operation.isOnKeys()) {
      call.admitted();
    }
    return call;
  }

  /** A request of the call was admitted. */
  void admitted() {
    if (!admitted && !handles.isEmpty()) {
      admitted = true;
      tell(CallListener.Handle::admitted);
    }
  }

  /**
   * @param isFirst of its request
   */
  void attempt(GroupId target, Optional<NodeId> targetNode, boolean isFirst) {
    if (!handles.isEmpty()) {
      attempts++;
      retries += isFirst ? 0 : 1;
      region = Optional.of(target);
      node = targetNode;
    }
  }

  /** An attempt before the last one may have done so. */
  void responded(GroupId from, NodeId fromNode) {
    if (!handles.isEmpty()) {
      region = Optional.of(from);
      node = Optional.of(fromNode);
    }
  }

  void end(Optional<QuorateException> failure) {
    if (handles.isEmpty()) {
      return;
    }
    Duration time = Duration.ofNanos(System.nanoTime() - startNanos);
    CallReport report = new CallReport(operation, time, attempts, retries, region, node, failure);
    tell(handle -> handle.end(report));
  }

  private void tell(Consumer<CallListener.Handle> what) {
    handles.forEach(handle -> guarded(() -> what.accept(handle)));
  }

  private static void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      FAILURES.log(leftOut -> log(e, leftOut));
    }
  }

  private static void log(Throwable thrown, long leftOut) {
    String message = "A call listener of this client failed" + LogLimit.text(leftOut);
    try {
      LOG.atWarn().setCause(thrown).log(message);
    } catch (Throwable e) {
      // Its message, or the log, throws too.
      LOG.warn("{} with {}", message, thrown.getClass().getName());
    }
  }
}
