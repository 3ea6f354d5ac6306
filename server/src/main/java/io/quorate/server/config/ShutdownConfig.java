package io.quorate.server.config;

import java.time.Duration;

/**
 * @param transferTimeout maximum time of the leadership transfers
 * @param drainTimeout maximum wait for the requests in flight to complete
 */
public record ShutdownConfig(Duration transferTimeout, Duration drainTimeout) {}
