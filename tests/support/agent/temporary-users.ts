import type { AdminStatement } from '#agent/kernel/host/admin-statements.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { server, shop } from './debian.ts'

interface Account {
  user: string
  name: string | null
  writes: 'Y' | 'N'
}

/** A server with a site whose MariaDB has accounts, and `steps`, the changes of these. */
export const withAccounts = async (...accounts: Account[]) =>
  knowAccounts(await server(shop), ...accounts)

/** The same for the MariaDB of a given server. */
export function knowAccounts(host: FakeHost, ...accounts: Account[]) {
  const known = new Map(accounts.map((account) => [account.user, account]))
  const steps: string[] = []
  const { admin } = host.database
  host.database.admin = async (statement: AdminStatement, values = []) => {
    const said = await admin(statement, values)
    if (statement === 'list_temporary_accounts')
      return [...known.values()].map((one) => ({ ...one }))
    const texts = values.map(String)
    if (isChange(statement) && texts.some((text) => text.startsWith('hosting_tmp_'))) {
      steps.push([statement, ...texts].join(' '))
      change(known, statement, texts)
    }
    return said
  }
  return { host, known, steps }
}

const isChange = (statement: AdminStatement) => statement !== 'count_connections'

function change(known: Map<string, Account>, statement: AdminStatement, texts: string[]): void {
  const [first = '', second = ''] = texts
  const granted = known.get(second)
  if (statement === 'create_temporary_account')
    known.set(first, { user: first, name: null, writes: 'N' })
  if (statement === 'drop_account') known.delete(first)
  if (granted && statement === 'grant_reading') known.set(second, { ...granted, name: first })
  if (granted && statement === 'grant_tables')
    known.set(second, { ...granted, name: first, writes: 'Y' })
}

/** The name of an account that ends so many seconds after the start of the test. */
export const nameOf = (seconds: number, token = 'a1b2c3d4e5') =>
  `hosting_tmp_${token}_${Date.UTC(2026, 0, 1) / 1000 + seconds}`

export const ended = (user: string) => [
  `lock_account ${user}`,
  `end_connections ${user}`,
  `drop_account ${user}`,
]
