/**
 * The measured figures, their ratios between systems and to the paper, and expectations of these
 * ratios. Their presentation does not belong here; it is in the package {@code report}.
 */
package io.quorate.benchmarks.paper.result;
