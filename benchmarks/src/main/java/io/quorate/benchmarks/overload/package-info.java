/** What a cluster does under more load than it can serve, beside another database. */
package io.quorate.benchmarks.overload;
