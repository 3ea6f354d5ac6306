package io.quorate.server.config;

import java.time.Duration;

/**
 * @param transferTimeout longest wait for other nodes to take over leadership
 * @param drainTimeout longest wait for answers to requests in flight
 */
public record ShutdownConfig(Duration transferTimeout, Duration drainTimeout) {}
