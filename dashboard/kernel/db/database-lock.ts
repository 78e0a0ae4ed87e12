import { Database } from 'bun:sqlite'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'

/** Held until it is closed or its process ends: the operating system releases it. */
export interface DatabaseLock {
  close(): void
}

/**
 * Dashboards share the lock of a database file, a restore holds it exclusively. Undefined when
 * another process blocks it. A separate file, because a restore replaces the database file.
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
