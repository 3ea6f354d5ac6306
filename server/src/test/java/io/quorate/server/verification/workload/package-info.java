/** What clients do while faults are injected, and how it is recorded. */
package io.quorate.server.verification.workload;
