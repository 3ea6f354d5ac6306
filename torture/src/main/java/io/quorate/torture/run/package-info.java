/**
 * The torture of a cluster: rounds of workloads under scheduled faults, each of which is checked,
 * their progress and their result. The faults, workloads and checkers themselves do not belong
 * here; each has a package of its own.
 */
package io.quorate.torture.run;
