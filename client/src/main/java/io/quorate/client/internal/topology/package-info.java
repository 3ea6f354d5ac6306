/** What the client knows of the cluster, how it learns it, and which node a request goes to. */
package io.quorate.client.internal.topology;
