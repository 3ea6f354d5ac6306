package io.quorate.client.internal.call;

import io.quorate.client.ClientOptions;
import io.quorate.client.Durations;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.OverloadedException;
import java.time.Duration;

/** The failures of calls beyond the bounds of {@link FlowController}. Any thread. */
record FlowBounds(ClientOptions options) {
  private String inFlight() {
    return "The client has at most "
        + options.inFlightRequestsMax()
        + " requests and "
        + options.inFlightBytesMax()
        + " bytes in flight";
  }

  /** Of a request that could never be admitted. */
  InvalidRequestException tooLarge(long costBytes) {
    return new InvalidRequestException(
        "The client has at most "
            + options.inFlightBytesMax()
            + " bytes in flight, and the request needs "
            + costBytes
            + ".");
  }

  /** Of a call that has waited until its deadline. */
  OverloadedException notAdmitted(Duration deadline) {
    return new OverloadedException(
        inFlight() + ", and this one was not admitted within " + Durations.text(deadline) + ".");
  }

  /** Of a call that could not even wait. */
  OverloadedException queueFull() {
    return new OverloadedException(
        "The client keeps at most "
            + FlowController.waitingCallsMax(options)
            + " requests and "
            + options.waitingBytesMax()
            + " bytes waiting for admission; wait until some of them have ended, or see"
            + " ClientOptions.admission.");
  }
}
