package io.quorate.server.config;

/**
 * @param bind the address on which health and metrics are served
 */
public record AdminConfig(String bind) {}
