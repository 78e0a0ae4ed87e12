import { Database } from 'bun:sqlite'

/** Held until it is closed, or its process ends in whatever way: the lock is the operating system's. */
export interface Lock {
  close(): void
}

/**
 * Dashboards share the lock of a database file, a restore has it alone. Undefined when somebody else
 * is in the way. A file of its own beside the database, because that one is put in place of another.
 */
export function lockDatabase(file: string, mode: 'shared' | 'alone'): Lock | undefined {
  const lock = new Database(`${file}.lock`, { create: true, readwrite: true })
  try {
    lock.run(mode === 'alone' ? 'BEGIN EXCLUSIVE' : 'BEGIN')
    lock.query('SELECT count(*) FROM sqlite_master').get()
    return lock
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
}
