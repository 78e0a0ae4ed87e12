import type { Host, Row } from '#agent/host/ports.ts'
import { answersOf, type Scanner } from '#agent/host/scanner-port.ts'
import { scannerOn } from '#agent/scan/answer.ts'
import type { OpenTree } from '#agent/scan/site-tree.ts'

type Query = (sql: string, values: readonly unknown[]) => Promise<Row[]>

/** Scans in this process, on a simulated disk: the same code, without users and limits. */
export function scannerOf(
  tree: OpenTree,
  uid: (docroot: string) => number | undefined,
  { files, query }: Pick<Host, 'files'> & { query: Query },
): Scanner {
  const access = (passwd: string) =>
    answersOf(
      scannerOn({
        socket: '/run/mysqld/mysqld.sock',
        owner: ({ docroot }) => ownerIn(passwd, uid(docroot)),
        read: (_, work) => ({ value: work(tree), limit: null }),
        query: ({ sql, values }) => query(sql, values),
      }),
    )
  const users = async () => (await files.read('/etc/passwd')) ?? ''
  return {
    inventory: async (site) => access('').inventory(site),
    application: async (site) => access(await users()).application(site),
    database: async (site) => access('').database(site),
    databasePassword: async (site) => access('').databasePassword(site),
  }
}

function ownerIn(passwd: string, uid: number | undefined): string {
  const users = passwd.split('\n').map((line) => line.split(':'))
  return users.find(([, , number]) => number === String(uid))?.[0] ?? ''
}
