import type { Sharing } from './sharing.ts'

/** What the operations of one process have in common. */
export interface Turns {
  /**
   * One at a time for each name: testing and reloading a shared configuration (`nginx`), or a
   * program without a queue (`apt`). Not re-entrant.
   */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>
  /** A few at once for each name, with a state of their own. Not re-entrant. */
  shared<T, S>(name: string, sharing: Sharing<S>, work: (state: S) => Promise<T>): Promise<T>
  /** The operations of this process that hold the jobs of a site, by its user: see features/backups/hold.ts. */
  holders: Map<string, Set<string>>
}
