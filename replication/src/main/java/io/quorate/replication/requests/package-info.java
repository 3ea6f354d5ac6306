/** The kinds of the requests between replicas: one number for each, in one place. */
package io.quorate.replication.requests;
