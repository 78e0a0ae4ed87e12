import { describe, expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { fetchedOf, filesIn } from '#agent/features/backups/places.ts'
import { DatabaseUnavailable } from '#agent/kernel/host/database-unavailable.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Output } from '#agent/kernel/host/ports.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import type { Command, Step } from '#agent/kernel/steps/command.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, runs, shop } from '#tests/support/agent/debian.ts'
import { isKilledAt } from '#tests/support/agent/killed.ts'
import { pair } from '#tests/support/agent/pair.ts'
import { renamable, renameParams } from '#tests/support/agent/renaming.ts'
import { copy } from '#tests/support/agent/staging.ts'
import { nameOf, withAccounts } from '#tests/support/agent/temporary-users.ts'
import { performing, tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'
import { isWhole } from '#tests/support/runs.ts'

const PID_FILE = '/run/mysqld/mysqld.pid'
const START = 'systemctl start mariadb.service'
const CLIENTS = ['mariadb', 'mariadb-dump']
const REFUSED: Output = { ...printed(''), code: 1, stderr: "ERROR 2002: Can't connect" }

/** As after a power failure: MariaDB does not run, until systemd or somebody else starts it. */
function stopDatabase(host: FakeHost): void {
  host.disk.drop(PID_FILE)
  const isStopped = () => host.disk.text(PID_FILE) === undefined
  const { run, try: attempt } = host.shell
  const { admin } = host.database
  const found = (argv: readonly string[]): Output | undefined => {
    if (argv.join(' ') === START) runs(host.disk, PID_FILE, 12, 'mariadbd')
    return isStopped() && argv.some((word) => CLIENTS.includes(word)) ? REFUSED : undefined
  }
  host.shell.try = async (argv, options) => found(argv) ?? attempt(argv, options)
  host.shell.run = async (argv, options) => {
    const refused = found(argv)
    if (refused) throw new CommandFailed(argv, refused)
    return run(argv, options)
  }
  host.database.admin = async (statement, values) => {
    if (isStopped()) throw new DatabaseUnavailable('stopped', 'ENOENT')
    return admin(statement, values)
  }
}

const request = {
  id: 'op1',
  command: 'cache.purge',
  params: { domain: 'shop.example' },
  fingerprint: 'f',
  created_at: Date.UTC(2026, 0, 1),
} as const

const INTERRUPTED = 'The agent was restarted in the middle of the operation'

function machine() {
  const host = fakeHost()
  const undone: string[] = []
  const step = (name: string): Step => ({
    name,
    title: `Making ${name}`,
    effects: [],
    apply: async () => undefined,
    undo: async () => void undone.push(name),
  })
  const commands = tableOf(performing(() => [step('a'), step('b'), step('c')]))
  return { host, commands, undone, store: new OperationStore(host.files, '/var/lib/hosting-agent') }
}

test('undoes the steps of the previous process, newest first, and ends the operation', async () => {
  const { host, commands, undone, store } = machine()
  await store.create(request)
  await store.addEvent('op1', { id: 1, event: 'log', data: { message: 'Making a' } })
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await store.addEntry('op1', { step: 'a', state: 'done' })
  await store.addEntry('op1', { step: 'b', state: 'intent' })

  await recover(host, commands)

  expect(undone).toEqual(['b', 'a'])
  expect(
    (await store.events('op1')).map(({ id, event, data }) => [id, event, data.message]),
  ).toEqual([
    [1, 'log', 'Making a'],
    [2, 'log', 'The agent was restarted; undoing the started steps'],
    [3, 'log', 'Undoing: Making b'],
    [4, 'log', 'Undoing: Making a'],
    [5, 'error', INTERRUPTED],
  ])
})

test('skips an incomplete line, which does not corrupt the next one', async () => {
  const { host, commands, undone, store } = machine()
  const folder = '/var/lib/hosting-agent/operations/op1'
  await store.create(request)
  await host.files.append(`${folder}/journal.ndjson`, '{"step":"a","state":"intent"}\n{"st')
  await host.files.append(`${folder}/events.ndjson`, '{"id":1,"eve')

  await recover(host, commands)

  expect(undone).toEqual(['a'])
  expect((await store.events('op1')).map(({ id, event }) => [id, event])).toEqual([
    [1, 'log'],
    [2, 'log'],
    [3, 'error'],
  ])
  expect(await store.journal('op1')).toEqual([
    { step: 'a', state: 'intent' },
    { step: 'a', state: 'undone' },
  ])
})

test('does not change ended operations', async () => {
  const { host, commands, undone, store } = machine()
  await store.create(request)
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await store.addEvent('op1', { id: 1, event: 'complete', data: { status: 'ok' } })
  await store.markEnded('op1')
  const before = host.disk.all

  await recover(host, commands)

  expect([undone, host.disk.all]).toEqual([[], before])
})

describe('an operation with a point of no return', () => {
  /** Cut off at the given step. The step b decides it, `decided` is the state of the machine. */
  async function cut(at: string[], decided: boolean, result?: object) {
    const { host, store } = machine()
    const did: string[] = []
    const step = (name: string, extra: Partial<Step> = {}): Step => ({
      name,
      title: `Making ${name}`,
      effects: [],
      apply: async () => void did.push(name),
      undo: async () => void did.push(`undo ${name}`),
      ...extra,
    })
    const steps = () => [
      step('a'),
      step('b', { decided: async () => decided }),
      step('c'),
      step('d', result ? {} : { apply: () => Promise.reject(new Error('no space')) }),
    ]
    const command = {
      ...performing(steps)['cache.purge'],
      finished: async () => result,
    } as Command<'cache.purge'>
    await store.create(request)
    for (const name of at) await store.addEntry('op1', { step: name, state: 'intent' })
    await recover(host, tableOf({ 'cache.purge': command }))
    return { did, last: (await store.events('op1')).at(-1) }
  }
  const gone = { domain: 'shop.example' }

  const complete = { event: 'complete', data: { status: 'ok', ...gone } }
  const failed = (reason = '') => ({
    event: 'error',
    data: { error: 'Internal error', message: `${INTERRUPTED}${reason}` },
  })

  test.each<[string, string[], boolean, object | undefined, string[], object]>([
    ['continues after that step and completes', ['a', 'b', 'c'], true, gone, ['c', 'd'], complete],
    ['reports why it did not complete', ['a', 'b'], true, undefined, ['c'], failed('; no space')],
    ['is undone before that step', ['a', 'b'], false, undefined, ['undo b', 'undo a'], failed()],
    ['is undone without an outcome of another one', ['a'], true, undefined, ['undo a'], failed()],
    ['ignores the outcome of another operation', ['a'], true, gone, ['undo a'], failed()],
  ])('%s', async (_, begun, decided, result, expected, end) => {
    const { did, last } = await cut(begun, decided, result)

    expect(did).toEqual(expected)
    expect(last).toMatchObject(end)
  })
})

const { domain } = shop
const PAGE = '/srv/www/shop/public/page.html'
/** Some commands have only a dozen effects. */
const STEP = isWhole ? 4 : 12
/** The last events of an operation; undefined if it was killed before its first one. */
const ENDS: unknown[] = [undefined, 'complete', INTERRUPTED]

type Made<N extends CommandName> = Promise<{ host: FakeHost; params: ParamsOf<N> }>

/** Runs the command until its process is killed at the n-th effect; undefined: it had fewer. */
const cutOff =
  <N extends CommandName>(command: N, make: () => Made<N>) =>
  async (at: number): Promise<FakeHost | undefined> => {
    const { host, params } = await make()
    return (await isKilledAt(at, host, command, params)) ? host : undefined
  }

/** The end of the operation, and the folders that its undo needs. */
async function found(host: FakeHost) {
  const store = new OperationStore(host.files, host.settings.state_dir)
  const last = (await store.events('op1')).at(-1)
  const folders = await Promise.all(
    [shop, copy].map(({ user }) => host.files.list(`/srv/www/.restore/${user}`)),
  )
  const left = folders.flat().filter(({ name }) => /^(replaced|fetched)$/.test(name))
  return [last?.event === 'error' ? last.data.message : last?.event, left.map(({ name }) => name)]
}

/** The password in wp-config.php of the copy is that of its account. */
async function refreshing(): Made<'site.refresh'> {
  const { host } = await pair()
  const { tar } = host.table
  host.table.tar = (...call) => {
    const path = `${filesIn(fetchedOf(copy.user))}/wp-config.php`
    host.disk.putText(path, `<?php\ndefine( 'DB_PASSWORD', 'secret' );\n`)
    return tar?.(...call) ?? { code: 0, stdout: '', stderr: '' }
  }
  return { host, params: { domain: copy.domain, from: { kind: 'site', domain } } }
}

async function pushing(): Made<'site.push'> {
  const tables = ['wp_options', 'wp_posts']
  const params = { domain, from: copy.domain, files: true, tables, overwrite: [] }
  return { host: (await pair()).host, params }
}

async function restoring(): Made<'backup.restore'> {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  const tables = { database: true as const, tables: ['x'] }
  return { host, params: restore({ files: true, paths: ['page.html'], ...tables }) }
}

async function undoing(): Made<'backup.undo'> {
  const { host, params } = await restoring()
  await outcome(backupRestore.run(params, contextOf(host)))
  return { host, params: { domain } }
}

async function adding(): Made<'database.user'> {
  const account_hash = `*${'AB'.repeat(20)}`
  const wanted = { token: 'a1b2c3d4e5', rights: 'read' as const, minutes: 10, account_hash }
  return { host: (await withAccounts()).host, params: { domain, ...wanted } }
}

async function ending(): Made<'database.user-end'> {
  const user = nameOf(600)
  return {
    host: (await withAccounts({ user, name: 'shop', writes: 'N' })).host,
    params: { domain, user },
  }
}

const renaming = async () => ({ host: await renamable(), params: renameParams() })

test.each([
  ['a refresh', cutOff('site.refresh', refreshing)],
  ['a push', cutOff('site.push', pushing)],
  ['a restore of tables', cutOff('backup.restore', restoring)],
  ['the undo of one', cutOff('backup.undo', undoing)],
  ['a change of the primary domain', cutOff('site.rename', renaming)],
  ['a temporary user', cutOff('database.user', adding)],
  ['the end of a temporary user', cutOff('database.user-end', ending)],
])(
  'completes or undoes %s while MariaDB still starts',
  async (_, killedIn) => {
    const ends: unknown[] = []
    for (let effect = 1; ; effect += STEP) {
      const host = await killedIn(effect)
      if (!host) break
      stopDatabase(host)
      await recover(host, commands)
      const [end, left] = await found(host)
      ends.push(end)
      expect([effect, end, left]).toEqual([effect, ENDS.includes(end) ? end : INTERRUPTED, []])
    }
    expect(ends).toContain(INTERRUPTED)
  },
  240_000,
)
