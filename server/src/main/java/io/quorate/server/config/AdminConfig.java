package io.quorate.server.config;

/**
 * @param bind the address on which health, metrics and the console are served
 */
public record AdminConfig(String bind) {}
