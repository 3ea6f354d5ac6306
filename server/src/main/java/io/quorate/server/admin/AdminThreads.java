package io.quorate.server.admin;

import java.util.concurrent.Executor;

/**
 * The threads that create pages, so that none waits for those that take longer or that anyone may
 * request.
 *
 * @param pages create pages
 * @param health creates those of health and readiness, and nothing else
 * @param logins check secrets
 */
record AdminThreads(Executor pages, Executor health, Executor logins) {}
