// tier: gate
import { describe, expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { DatabaseUnavailable } from '#agent/kernel/host/database-unavailable.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Output } from '#agent/kernel/host/ports.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import type { Command, Step } from '#agent/kernel/steps/command.ts'
import { runs, shop } from '#tests/support/agent/debian.ts'
import { isKilledAt } from '#tests/support/agent/killed.ts'
import { copy } from '#tests/support/agent/staging.ts'
import { performing, tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'
import { EVERY } from '#tests/support/plan/every-command.ts'
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

/** Some commands have only a dozen effects. */
const STEP = isWhole ? 4 : 12
/** The last events of an operation; undefined if it was killed before its first one. */
const ENDS: unknown[] = [undefined, 'complete', INTERRUPTED]

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

const STARTING = [
  'site.refresh',
  'site.push',
  'backup.restore (of a file and a table)',
  'backup.undo (of a file and a table)',
  'site.rename',
  'database.user (a temporary user)',
  'database.user-end (no temporary user)',
]

test.each(EVERY.filter(({ title }) => STARTING.includes(title)))(
  '$title is completed or undone while MariaDB still starts',
  async ({ command, prepare }) => {
    const ends: unknown[] = []
    for (let effect = 1; ; effect += STEP) {
      const { host, params } = await prepare()
      if (!(await isKilledAt(effect, host, command, params))) break
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
