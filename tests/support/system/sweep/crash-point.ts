/** Where and how an agent crashes: at the n-th line its process appends to such a file. */
export interface CrashPoint {
  file: 'journal' | 'events'
  /** From 1. */
  record: number
  /** `torn`: with half of the line written. */
  when: 'before' | 'torn' | 'after'
  how: 'SIGKILL' | 'SIGSTOP'
  /** Within the step: not yet there, but before the n-th effect on the machine that follows. */
  calls?: number
}

/** On the server's disk: the list of points; each is removed when reached, the file with the last. */
export const CRASH_POINTS = '/root/point.json'
/** On the server's disk: when the last agent started, in ms of the Unix epoch. */
export const STARTED = '/root/started'
