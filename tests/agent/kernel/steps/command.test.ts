import { expect, test } from 'bun:test'
import type { JournalEntry } from '#agent/kernel/operations/records.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { performSteps, startedSteps, undoSteps } from '#agent/kernel/operations/steps.ts'
import {
  after,
  andThen,
  type Command,
  type CommandDefinition,
  command,
  later,
  line,
  ready,
  type Step,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import { tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

type Purge = CommandDefinition<'cache.purge', object>

const domain = 'shop.example'
const params = { domain }
const named = { lock: () => domain, result: () => params }
const purge = (given: Pick<Purge, 'steps'> & Partial<Purge>) =>
  command('cache.purge', { ...named, find: async () => ({}), ...given })

/** A step that makes a file of its name on the machine, and removes it again. */
const make = ({ disk }: FakeHost, name: string, more: Partial<Step> = {}): Step => ({
  name,
  title: `Making ${name}`,
  effects: [],
  apply: () => disk.write(`/made/${name}`, ''),
  undo: () => disk.remove(`/made/${name}`),
  ...more,
})

const filesOf = ({ disk }: FakeHost) => disk.names('/made').sort()
const broken = { apply: () => Promise.reject(new Error('no space')) }

/** Runs it, and returns its lines, its end, and the steps as they were announced and journaled. */
async function ran(host: FakeHost, made: Command<'cache.purge'>) {
  const [announced, journal, warnings] = [[] as string[], [] as JournalEntry[], [] as Warning[]]
  const write = async (entry: JournalEntry) => void journal.push(entry)
  const context = {
    ...contextOf(host, warnings),
    announce: (steps: readonly Step[]) => void announced.push(...steps.map(({ name }) => name)),
    perform: (list: Parameters<typeof performSteps>[0]) => performSteps(list, write),
  }
  const [lines, end] = await outcome(made.run(params, context))
  return { lines, end, announced, journal, warnings }
}

const namesIn = (steps: readonly Step[] = []) => steps.map(({ name }) => name)

test('makes the plan, the announcement and the run of one list, nested lists when they are reached', async () => {
  const host = fakeHost()
  const numbered = () => make(host, `b${filesOf(host).length}`)
  const made = purge({
    steps: () => [
      ready(() => [make(host, 'a')]),
      line('The server is ready'),
      andThen(() => [numbered()]),
      andThen(() => [numbered()]),
      after(() => [make(host, 'c')]),
    ],
  })

  expect(namesIn(await made.plan(params, host))).toEqual(['a', 'b0', 'b0', 'c'])
  expect(await ran(host, made)).toMatchObject({
    lines: ['Making a', 'The server is ready', 'Making b1', 'Making b2', 'Making c'],
    end: params,
    announced: ['a', 'b0', 'b0', 'c'],
  })
  expect(filesOf(host)).toEqual(['a', 'b1', 'b2', 'c'])
})

test('makes a nested list once if nothing has run since the announcement', async () => {
  const host = fakeHost()
  let count = 0
  const once = () => {
    count += 1
    return [make(host, 'a')]
  }

  await ran(host, purge({ steps: () => [andThen(once)] }))

  expect(count).toBe(1)
})

/** The changes of its steps, as viewers of the operation get them. */
async function changesOf(host: FakeHost, made: Command<'cache.purge'>): Promise<string[]> {
  const commands = tableOf({ 'cache.purge': made })
  const runner = new Runner({ host, commands, report: () => undefined })
  const operation = await runner.start('cache.purge', params)
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal, true))
  return events.flatMap(({ event, data }) => (event === 'step' ? `${data.name} ${data.state}` : []))
}

test('announces what only the lines before it tell when it is reached, in order', async () => {
  const host = fakeHost()
  const made = purge({
    steps: () => [line('Looking'), later(() => [make(host, 'a')]), make(host, 'b')],
  })

  expect(await changesOf(host, made)).toEqual([
    'a waiting',
    'b waiting',
    'a running',
    'a done',
    'b running',
    'b done',
  ])
})

test('announces a step that a nested list has only when it is reached before the others run', async () => {
  const host = fakeHost()
  const more = () => (filesOf(host).includes('a') ? [make(host, 'b')] : [])
  const made = purge({
    steps: () => [ready(() => [make(host, 'a')]), andThen(() => [...more(), make(host, 'c')])],
  })

  expect(await changesOf(host, made)).toEqual([
    'a waiting',
    'c waiting',
    'a running',
    'a done',
    'b waiting',
    'b running',
    'b done',
    'c running',
    'c done',
  ])
})

test('undoes its own steps, nested ones included, and neither preparation nor what follows', async () => {
  const host = fakeHost()
  const made = (failing: string) =>
    purge({
      steps: () => [
        ready(() => [make(host, 'a')]),
        make(host, 'b'),
        andThen(() => [make(host, 'c', failing === 'c' ? broken : {})]),
        after(() => [make(host, 'd', failing === 'd' ? broken : {})]),
      ],
    })

  expect((await ran(host, made('c'))).end).toBe('no space')
  expect(filesOf(host)).toEqual(['a'])
  expect(namesIn(await made('').steps?.(params, host))).toEqual(['b', 'c'])

  expect((await ran(host, made('d'))).end).toBe('no space')
  expect(filesOf(host)).toEqual(['a', 'b', 'c'])
})

test('a line between steps belongs to them: what it refuses is undone', async () => {
  const host = fakeHost()
  const refuse = async () => {
    throw new Error('taken')
  }
  const made = purge({ steps: () => [make(host, 'a'), line(refuse), make(host, 'b')] })

  expect((await ran(host, made)).end).toBe('taken')
  expect(filesOf(host)).toEqual([])
})

test('checks again after preparation that changed something', async () => {
  const host = fakeHost()
  const made = (names: string[]) =>
    purge({
      steps: () => [
        ready(
          () => names.map((name) => make(host, name)),
          async () => Promise.reject(new Error('taken')),
        ),
      ],
    })

  expect((await ran(host, made([]))).end).toEqual(params)
  expect((await ran(host, made(['a']))).end).toBe('taken')
})

test('hands a result of a step to later steps and to the result of the command', async () => {
  const host = fakeHost()
  const count = stepResult<number>('Nothing was counted')
  const made = purge({
    steps: ({ gives, get }) => [
      make(host, 'a', { apply: gives(count, async () => 3) }),
      make(host, 'b', { apply: async () => host.disk.putText('/made/b', String(get(count))) }),
    ],
    result: ({ get, find }) => ({ domain: `${get(count)} ${find(count)}` }),
  })

  expect((await ran(host, made)).end).toEqual({ domain: '3 3' })
  expect(host.disk.text('/made/b')).toBe('3')
})

test('a result that no step has given is an error with its own message', async () => {
  const count = stepResult<number>('Nothing was counted')
  const made = purge({
    steps: () => [],
    result: ({ get, find }) => ({ domain: String(find(count) ?? get(count)) }),
  })

  expect((await ran(fakeHost(), made)).end).toBe('Nothing was counted')
})

test('refuses each change of a foreign object that nobody accepted, before anything runs', async () => {
  const host = fakeHost()
  const taken = { action: 'change', kind: 'file', name: '/etc/x', asks: 'name_taken_over' } as const
  const made = purge({
    steps: () => [
      make(host, 'a'),
      andThen(() => [make(host, 'b', { imposes: async () => [taken] })]),
    ],
  })

  const { end, lines } = await ran(host, made)

  expect([end, lines, filesOf(host)]).toEqual(['Validation failed: accept', [], []])
})

test('past its decision it completes after a restart, with the warnings of what was cut off', async () => {
  const host = fakeHost()
  const cutOff: Warning[] = [{ code: 'certificate_refused', message: 'interrupted' }]
  const made = purge({
    steps: () => [
      make(host, 'a', { decided: async () => filesOf(host).includes('a') }),
      after(
        () => [make(host, 'b')],
        async () => cutOff,
      ),
    ],
  })

  expect(await made.finished?.(params, host)).toBeUndefined()
  host.disk.putText('/made/a', '')
  expect(await made.finished?.(params, host)).toEqual(params)
  expect(await made.missing?.(params, host)).toEqual(cutOff)
})

test('undoes after a restart what the journal has, of the list as it is made then', async () => {
  const host = fakeHost()
  const made = purge({ steps: () => [make(host, 'a'), andThen(() => [make(host, 'b')])] })
  const { journal } = await ran(host, made)
  const started = startedSteps((await made.steps?.(params, host)) ?? [], journal)

  const write = async () => undefined
  for await (const _ of undoSteps(started, { write, makeRoom: async () => false }));

  expect(filesOf(host)).toEqual([])
})

test('has nothing to undo when nothing of its subject is left', async () => {
  const made = purge({ steps: () => [make(fakeHost(), 'a')], find: async () => undefined })

  expect(await made.steps?.(params, fakeHost())).toEqual([])
  expect(await made.finished?.(params, fakeHost())).toBeUndefined()
})

test('runs all steps again after a restart if it resumes', async () => {
  const host = fakeHost()
  const made = purge({ steps: () => [make(host, 'a')], resume: 'again' })
  const work = made.resume?.(params, contextOf(host))

  expect(work && (await outcome(work))).toEqual([
    ['The agent was restarted; continuing', 'Making a'],
    params,
  ])
})
