import type { ConcurrencyLimit } from './concurrency-limit.ts'

/** The mutual exclusion of the operations of one process. */
export interface Exclusion {
  /**
   * Runs one task at a time for each name: testing and reloading a shared configuration (`nginx`),
   * or a program without a queue (`apt`). Not re-entrant.
   */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Runs a few tasks at once for each name, with a shared state. Not re-entrant. */
  shared<T, S>(
    name: string,
    sharing: ConcurrencyLimit<S>,
    work: (state: S) => Promise<T>,
  ): Promise<T>
  /** The operations that pause the jobs of a site, by user: see features/backups/pause-jobs.ts. */
  holders: Map<string, Set<string>>
  /** The number of dumps and imports that run as a site, by user: see database/unlimited.ts. */
  unlimited: Map<string, number>
}
