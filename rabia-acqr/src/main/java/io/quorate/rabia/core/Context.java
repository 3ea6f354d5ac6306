package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.core.members.ConfigurationHistory;
import io.quorate.rabia.core.members.FailureDetector;
import io.quorate.rabia.core.members.PeerProgress;
import io.quorate.rabia.protocol.Checkpoint;

/** The state that the components of one replica share. */
final class Context {
  final NodeId self;
  final Settings settings;
  final Rules rules;
  final Coin coin;
  final Counters counters = new Counters();
  final EffectBuffer effects = new EffectBuffer(counters);
  final FailureDetector failureDetector;
  final ConfigurationHistory configurations;
  final PeerProgress peers = new PeerProgress();
  final Window window;
  final BatchStore bodies;
  final BodyFetcher bodyFetcher;

  /** The replica's own clock as of this step, in nanoseconds. */
  long now;

  /**
   * @param firstEpoch the first epoch in which this replica may be a member
   */
  Context(
      NodeId self, long firstEpoch, Settings settings, Rules rules, Coin coin, Checkpoint start) {
    this.self = self;
    this.settings = settings;
    this.rules = rules;
    this.coin = coin;
    this.failureDetector = new FailureDetector(settings.timing().suspicion());
    this.configurations =
        new ConfigurationHistory(self, firstEpoch, settings.alpha(), start.configurations());
    this.window = new Window(settings.alpha(), start.at().index(), configurations, rules);
    this.bodies = new BatchStore(settings.bounds().bodyBytes());
    this.bodyFetcher = new BodyFetcher(this);
  }
}
