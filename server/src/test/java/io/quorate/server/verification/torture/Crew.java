package io.quorate.server.verification.torture;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.verification.history.HistoryRecorder;
import io.quorate.server.verification.workload.Observer;
import io.quorate.server.verification.workload.RecordingClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The clients of a torture, which stay connected from round to round. */
final class Crew implements AutoCloseable {
  /** Gives up soon, so that there are writes of unknown outcome. */
  private static final Duration SHORT_DEADLINE = Duration.ofSeconds(3);

  /** Goes on across a whole fault, at one replica after the other. */
  private static final Duration LONG_DEADLINE = Duration.ofSeconds(25);

  /** Shorter than a fault lasts: a request that is not answered is sent to another replica. */
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(1);

  /** Longer than an election: what a leader says late, when another one leads, is still heard. */
  private static final Duration PATIENT_ATTEMPT_TIMEOUT = Duration.ofSeconds(8);

  private final List<AsyncQuorateClient> clients = new ArrayList<>();

  Crew(ClusterPlan plan, int size) {
    for (int i = 0; i < size; i++) {
      clients.add(
          AsyncQuorateClient.open(
              ClientOptions.builder(plan.clientAddresses())
                  .clusterId(plan.clusterId())
                  .clientName("torture-" + i)
                  .deadline(i % 2 == 0 ? SHORT_DEADLINE : LONG_DEADLINE)
                  .attemptTimeout(i % 4 == 3 ? PATIENT_ATTEMPT_TIMEOUT : ATTEMPT_TIMEOUT)
                  .quorumReads(i % 3 == 0 ? QuorumReads.BY_NODE : QuorumReads.BY_CLIENT)
                  .build()));
    }
  }

  /** One recording client each, numbered from 0. */
  List<RecordingClient> recording(HistoryRecorder recorder, Observer observer) {
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
