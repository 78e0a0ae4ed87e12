import { Database } from 'bun:sqlite'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'

/** A lock that its closing, or the end of its process, releases. */
export interface DatabaseLock {
  close(): void
}

/**
 * Locks a database file. Dashboards share the lock, a restore holds it exclusively. Undefined when
 * another process blocks it. The lock is on a separate file, because a restore replaces the
 * database file.
 */
export function lockDatabase(file: string, mode: 'shared' | 'alone'): DatabaseLock | undefined {
  const lock = new Database(`${file}.lock`, { create: true, readwrite: true })
  try {
    lock.run(mode === 'alone' ? 'BEGIN EXCLUSIVE' : 'BEGIN')
    lock.query('SELECT count(*) FROM sqlite_master').get()
    return lock
  } catch (error) {
    lock.close()
    if (codeOf(error) === 'SQLITE_BUSY') return undefined
    throw error
  }
}
