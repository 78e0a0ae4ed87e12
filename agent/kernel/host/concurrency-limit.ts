export interface ConcurrencyLimit<S> {
  /** The maximum number of concurrent tasks; others wait. */
  most: number
  /** Called for a task that has to wait. */
  waits?(): void
  /** Runs before the first one of concurrent tasks. */
  first(): Promise<S>
  /** Runs after the last one of concurrent tasks. */
  last(state: S): Promise<void>
}
