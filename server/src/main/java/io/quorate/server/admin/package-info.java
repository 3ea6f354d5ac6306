/**
 * Health and metrics over HTTP, for operators and monitoring systems: the admin server, its pages
 * and the metrics registry. What is healthy is decided in {@code node}; metrics are registered by
 * the packages that measure them.
 */
package io.quorate.server.admin;
