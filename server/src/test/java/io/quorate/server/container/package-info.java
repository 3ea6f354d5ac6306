/**
 * Tests of the image, with the clusters of containers that they use. They run on the container
 * engine of this machine, and are skipped where none responds. Tests that need no container do not
 * belong here.
 */
package io.quorate.server.container;
