import { MARIADB_SOCKET } from '#agent/host/scan-lines.ts'
import { answersOf, type Scanner } from '#agent/host/scanner-port.ts'
import { scannerOn } from '#agent/scan/answer.ts'
import type { Machine } from './machine.ts'
import { query } from './statements.ts'
import type { Turns } from './turns.ts'

/** The agent's own scan, in this process and on a simulated disk. */
export function scannerOf(machine: Machine, turns: Turns): Scanner {
  const { disk } = machine
  const reader = scannerOn({
    socket: MARIADB_SOCKET,
    owner: ({ docroot }) => ownerOf(machine, docroot),
    read: (_, work) => ({ value: work((root) => disk.tree(root)), limit: null }),
    async query({ sql, values }) {
      await turns.take()
      return query(machine, sql, values)
    },
  })
  const scanner = answersOf(reader)
  return {
    inventory: (site) => turns.take().then(() => scanner.inventory(site)),
    application: (site) => turns.take().then(() => scanner.application(site)),
    database: (site) => turns.take().then(() => scanner.database(site)),
    databasePassword: (site) => turns.take().then(() => scanner.databasePassword(site)),
  }
}

function ownerOf({ disk }: Machine, docroot: string): string {
  const node = disk.find(docroot)
  if (!node) return ''
  const uid = node.kind === 'directory' ? (node.uid ?? 0) : 0
  const users = (disk.text('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'))
  return users.find(([, , number]) => number === String(uid))?.[0] ?? ''
}
