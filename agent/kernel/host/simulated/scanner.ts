import type { DatabaseRow } from '#agent/kernel/host/ports.ts'
import { MARIADB_SOCKET } from '#agent/kernel/host/scan-lines.ts'
import { answersOf, type Scanner } from '#agent/kernel/host/scanner-port.ts'
import { scannerOn } from '#agent/kernel/scan/answer.ts'
import type { OpenTree } from '#agent/kernel/scan/site-tree.ts'

export interface SimulatedSites {
  open: OpenTree
  /** The number of the user that owns a docroot; undefined if there is no docroot. */
  uid(docroot: string): number | undefined
  passwd(): string
  query(sql: string, values: readonly unknown[]): Promise<DatabaseRow[]>
}

/** Runs the agent's own scan in this process, on simulated sites: without users and limits. */
export function scannerOf({ open, uid, passwd, query }: SimulatedSites): Scanner {
  return answersOf(
    scannerOn({
      socket: MARIADB_SOCKET,
      owner: ({ docroot }) => ownerIn(passwd(), uid(docroot)),
      read: (_, work) => ({ value: work(open), limit: null }),
      query: ({ sql, values }) => query(sql, values),
    }),
  )
}

function ownerIn(passwd: string, uid: number | undefined): string {
  const users = passwd.split('\n').map((line) => line.split(':'))
  return users.find(([, , number]) => number === String(uid))?.[0] ?? ''
}
