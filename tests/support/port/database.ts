import type { Host } from '#agent/kernel/host/ports.ts'
import type { Case } from './case.ts'

const NAME = 'port_site'
const LIMITS = [15, 60]

async function privOf({ database }: Host) {
  const [row] = await database.admin('read_account', [NAME])
  const priv = JSON.parse(String(row?.priv ?? 'null'))
  if (!priv) return null
  const { plugin, max_user_connections, max_statement_time } = priv
  return [plugin, max_user_connections ?? 0, max_statement_time ?? 0]
}

async function rightsOf({ database }: Host) {
  const rows = await database.admin('read_database_rights', [NAME])
  return rows.map(({ Host, Db, User, ...privileges }) => {
    const given = Object.entries(privileges).flatMap(([name, has]) => (has === 'Y' ? [name] : []))
    return [Host, Db, User, given.length]
  })
}

export const DATABASE: Case[] = [
  {
    title: 'a database is there from its creation to its removal',
    async act({ database }) {
      const find = () => database.admin('find_database', [NAME])
      const before = await find()
      await database.admin('create_database', [NAME, 'utf8mb4', 'utf8mb4_unicode_ci'])
      const during = await find()
      for (const _ of [1, 2]) await database.admin('drop_database', [NAME])
      return [before, during.map((row) => ({ ...row })), await find()]
    },
    answer: [[], [{ name: NAME, character_set: 'utf8mb4', collation: 'utf8mb4_unicode_ci' }], []],
  },
  {
    title: 'an account has a way in, limits and the privileges of its database alone',
    async act(host) {
      const { admin } = host.database
      const pattern = NAME.replace('_', '\\_')
      const states = [[await privOf(host), await rightsOf(host)]]
      const act = async (...call: Parameters<typeof admin>) => {
        await admin(...call)
        states.push([await privOf(host), await rightsOf(host)])
      }
      await act('create_account', [NAME, 'secret', ...LIMITS])
      await act('grant_tables', [pattern, NAME])
      await act('grant_routines', [pattern, NAME])
      await act('revoke_routines', [pattern, NAME])
      await act('alter_account_without_password', [NAME, 0, 0])
      await act('revoke_everything', [NAME])
      const found = await admin('find_account', [NAME])
      await act('drop_account', [NAME])
      return [states, found.map((row) => ({ ...row }))]
    },
    answer: [
      [
        [null, []],
        [['mysql_native_password', 15, 60], []],
        [['mysql_native_password', 15, 60], [['localhost', 'port\\_site', NAME, 11]]],
        [['mysql_native_password', 15, 60], [['localhost', 'port\\_site', NAME, 18]]],
        [['mysql_native_password', 15, 60], [['localhost', 'port\\_site', NAME, 11]]],
        [['unix_socket', 0, 0], [['localhost', 'port\\_site', NAME, 11]]],
        [['unix_socket', 0, 0], []],
        [null, []],
      ],
      [{ User: NAME }],
    ],
  },
]
