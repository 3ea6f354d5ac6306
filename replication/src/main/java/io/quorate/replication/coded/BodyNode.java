package io.quorate.replication.coded;

import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.SettingException;
import io.quorate.model.NodeId;
import io.quorate.replication.erasure.ErasureCodes;
import io.quorate.replication.erasure.ValueCoder;
import java.util.Locale;
import java.util.concurrent.Executor;

/**
 * What the bodies of all groups of a node share.
 *
 * @param workers executes what occupies the processor or blocks on the disk; rejects tasks beyond a
 *     bound. Must not be interrupted, because of the storage.
 */
public record BodyNode(
    NodeId self,
    CodedSettings settings,
    BodyStorage storage,
    ValueCoder coder,
    Executor workers,
    MetricsSink telemetry,
    BodyBudgets budgets) {

  /**
   * @param frameBytesMax maximum length of a message between nodes
   * @param trial executes the search for the fastest erasure code, once, for up to several seconds
   * @throws SettingException if a setting is out of its bounds
   */
  public static BodyNode of(
      EngineContext context,
      CodedSettings settings,
      BodyStorage bodies,
      int frameBytesMax,
      Executor workers,
      Executor trial) {
    if (settings.chunkBytes() > frameBytesMax / 2) {
      throw new SettingException(
          String.format(
              Locale.ROOT,
              "Setting raft.coded.chunk-size is at most half of raft.frame-size-max, %dB; it was %dB.",
              frameBytesMax / 2,
              settings.chunkBytes()));
    }
    ErasureCodes codes = new ErasureCodes();
    trial.execute(codes::selectFaster);
    return new BodyNode(
        context.self(),
        settings,
        bodies,
        new ValueCoder(codes::code),
        workers,
        context.telemetry(),
        BodyBudgets.of(settings));
  }
}
