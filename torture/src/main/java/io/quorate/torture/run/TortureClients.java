package io.quorate.torture.run;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.torture.history.HistoryRecorder;
import io.quorate.torture.workload.Observer;
import io.quorate.torture.workload.RecordingClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The clients of a torture run, which stay connected from round to round. */
final class TortureClients implements AutoCloseable {
  /** Short, so that some writes end with an unknown outcome. */
  private static final Duration SHORT_DEADLINE = Duration.ofSeconds(3);

  /** Longer than a fault: the client retries at one replica after the other. */
  private static final Duration LONG_DEADLINE = Duration.ofSeconds(25);

  /** Shorter than a fault: a request without a response is sent to another replica. */
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(1);

  /** Longer than an election: a late response of a replaced leader still reaches the client. */
  private static final Duration LONG_ATTEMPT_TIMEOUT = Duration.ofSeconds(8);

  private final List<AsyncQuorateClient> clients = new ArrayList<>();

  TortureClients(ClusterPlan plan, int size) {
    for (int i = 0; i < size; i++) {
      clients.add(
          AsyncQuorateClient.open(
              plan.clientOptions()
                  .clientName("torture-" + i)
                  .deadline(i % 2 == 0 ? SHORT_DEADLINE : LONG_DEADLINE)
                  .attemptTimeout(i % 4 == 3 ? LONG_ATTEMPT_TIMEOUT : ATTEMPT_TIMEOUT)
                  .quorumReads(i % 3 == 0 ? QuorumReads.BY_NODE : QuorumReads.BY_CLIENT)
                  .build()));
    }
  }

  /** A recording client for each client, numbered from 0. */
  List<RecordingClient> recordingClients(HistoryRecorder recorder, Observer observer) {
    List<RecordingClient> recording = new ArrayList<>();
    for (int i = 0; i < clients.size(); i++) {
      recording.add(new RecordingClient(i, clients.get(i), recorder, observer));
    }
    return recording;
  }

  @Override
  public void close() {
    clients.forEach(AsyncQuorateClient::close);
  }
}
