package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Checkpoint;

/** What the parts of one replica share. */
final class Context {
  final NodeId self;
  final Settings settings;
  final Rules rules;
  final Coin coin;
  final Counters counters = new Counters();
  final Journal journal = new Journal(counters);
  final FailureDetector failureDetector;
  final Membership membership;
  final PeerProgress peers = new PeerProgress();
  final Window window;
  final Bodies bodies;
  final BodyFetcher bodyFetcher;

  /** Nanoseconds of the replica's own clock, as of this step. */
  long now;

  Context(NodeId self, Settings settings, Rules rules, Coin coin, Checkpoint start) {
    this.self = self;
    this.settings = settings;
    this.rules = rules;
    this.coin = coin;
    this.failureDetector = new FailureDetector(settings.timing().suspicion());
    this.membership = new Membership(self, settings.alpha(), start.configurations());
    this.window = new Window(settings.alpha(), start.at().index());
    this.bodies = new Bodies(settings.bounds().bodyBytes());
    this.bodyFetcher = new BodyFetcher(this);
  }
}
