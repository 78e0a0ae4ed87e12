import { expect, test } from 'bun:test'
import { dumpDatabase, streamDatabase } from '#agent/kernel/database/dump.ts'
import { dumpBytes } from '#agent/kernel/database/dump-bytes.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { repeatRound } from '#tests/support/agent/rounds.ts'
import { tableOf } from '#tests/support/commands.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const shopLimit = 60_000 + 10_000
const busy = { ...shop, domain: 'busy.example', user: 'busy' }

/** Runs the watch for some rounds; what it asked, and what it reported. */
async function watched(host: FakeHost, rounds: number): Promise<string[]> {
  const reported: string[] = []
  const { sleep } = host.clock
  let left = rounds
  host.clock.sleep = async (ms) => {
    if (left-- === 0) throw new Error('over')
    await sleep(ms)
  }
  const runner = new Runner({ host, commands: tableOf({}), report: () => undefined })
  runner.isBusy = (key) => key === 'busy.example'
  const report = (error: unknown) => reported.push(String(error))
  const watching = repeatRound(host, 'limits of the database', report, { runner })
  await expect(watching).rejects.toThrow('over')
  return reported
}

const ended = (host: FakeHost) => host.queries.filter((sql) => sql.startsWith('KILL QUERY'))

test('ends only statements that exceed the limit of their tier', async () => {
  const host = await server(shop)
  await writeSite(host, busy)
  host.rows('SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT QUERY_ID', [
    { id: 71, user: 'shop', ms: shopLimit + 1 },
    { id: 72, user: 'shop', ms: shopLimit },
    { id: 73, user: 'busy', ms: 9 * shopLimit },
    { id: 74, user: 'of_an_administrator', ms: 9 * shopLimit },
    { id: 75, user: 'root', ms: 9 * shopLimit },
  ])

  const reported = await watched(host, 1)

  expect(ended(host)).toEqual(['KILL QUERY ID ? | 71'])
  expect(reported).toEqual([
    'Error: A statement of shop.example ran beyond the limit of its tier and was ended',
  ])
})

const END = '-- Dump completed\n'
const DUMPS: Record<string, (host: FakeHost, during: () => Promise<unknown>) => Promise<unknown>> =
  {
    'into a backup': (host, during) =>
      streamDatabase(host, shop.user, 1000, async () => {
        await during()
        return { code: 0, stderr: '', bytes: 1, sha256: 'x', end: END }
      }),
    'to a file': (host, during) => {
      host.answer('tail', END)
      const { run } = host.shell
      host.shell.run = async (argv, options) => {
        if (argv[0] === 'xargs') await during()
        return run(argv, options)
      }
      return dumpDatabase(host, shop.user, { path: '/x.sql', size: 1000 })
    },
    'for a download': async (host, during) => {
      host.shell.bytes = async function* () {
        yield Buffer.from(END)
      }
      for await (const _ of dumpBytes(host, shop.user, { operation: 'x', timeout_ms: 1000 }))
        await during()
    },
  }

test.each(Object.keys(DUMPS))('a dump %s takes as long as its reader needs', async (kind) => {
  const host = await server(shop)
  host.answer('mariadb', 'wp_posts\nend\n')
  host.rows('SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT QUERY_ID', [
    { id: 71, user: 'shop', ms: 9 * shopLimit },
  ])

  await DUMPS[kind]?.(host, async () => expect(await watched(host, 1)).toEqual([]))
  expect(ended(host)).toEqual([])

  expect(await watched(host, 1)).toHaveLength(1)
  expect(ended(host)).toEqual(['KILL QUERY ID ? | 71'])
})

test('ends statements of temporary users of a database beyond the limit of its site', async () => {
  const host = await server(shop)
  await writeSite(host, busy)
  const ends = Math.floor(host.time / 1000) + 3600
  const user = (token: string) => `hosting_tmp_${token.repeat(10)}_${ends}`
  host.rows('SELECT account.User AS user', [
    { user: user('a'), name: 'shop', writes: 'Y' },
    { user: user('b'), name: 'busy', writes: 'N' },
    { user: user('c'), name: null, writes: null },
  ])
  host.rows('SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT QUERY_ID', [
    { id: 81, user: user('a'), ms: shopLimit + 1 },
    { id: 82, user: user('a'), ms: shopLimit },
    { id: 83, user: user('b'), ms: shopLimit + 1 },
    { id: 84, user: user('c'), ms: 9 * shopLimit },
  ])

  const reported = await watched(host, 1)

  expect(ended(host)).toEqual(['KILL QUERY ID ? | 81', 'KILL QUERY ID ? | 83'])
  expect(reported).toHaveLength(2)
})

test('raises the connection limit again after a restart of MariaDB lowered it', async () => {
  const host = await server(shop)
  for (let at = 0; at < 20; at++) {
    await writeSite(host, { ...shop, domain: `s${at}.example`, user: `s${at}` })
  }

  await watched(host, 1)

  expect(await host.database.admin('read_connections')).toEqual([{ count: 21 * 15 + 60 }])
})

test('raises the limit in its own file too, and does not create the file', async () => {
  const host = await server(shop)
  const file = '/etc/mysql/mariadb.conf.d/10-hosting.cnf'
  await watched(host, 1)
  expect(host.disk.all[file]).toBeUndefined()
  await host.disk.write(file, '# Made by Hosting Control.\n[mariadbd]\nmax_connections = 61\n')

  await expect(watched(host, 1)).resolves.toEqual([])

  expect(host.disk.all[file]).toEndWith('max_connections = 75\n')
})

test('does not query a server without sites, and reports a database that does not answer once', async () => {
  const none = await server()
  expect([await watched(none, 3), none.queries]).toEqual([[], []])

  const host = await server(shop)
  host.failSql('SELECT @@GLOBAL.max_connections', 'Access denied')
  expect(await watched(host, 3)).toEqual([
    expect.stringMatching(/^Error: Watching MariaDB: .*Access denied/),
  ])
})
