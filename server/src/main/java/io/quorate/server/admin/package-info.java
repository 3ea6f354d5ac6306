/**
 * Health, metrics, the console of the cluster and changes of its nodes over HTTP, for operators and
 * monitoring systems: the admin server, its pages and the metrics registry. The files of the
 * console are resources in the directory {@code console}; its data is what the nodes report to any
 * client. What is healthy is decided in {@code node}; metrics are registered by the packages that
 * measure them.
 */
package io.quorate.server.admin;
