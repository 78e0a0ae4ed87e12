import { expect, test } from 'bun:test'
import { Runner } from '#agent/kernel/operations/runner.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { performing, tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const shop = { domain: 'shop.example' }
const FULL = 'ENOSPC: no space left on device'

/** One step, which fails; what undoes it is kept from that for as long as there is a reason. */
function machine(host: FakeHost = fakeHost(), extra: Partial<Step> = {}) {
  const did: string[] = []
  const hindered = { by: FULL }
  const step: Step = {
    name: 'a',
    title: 'Making a',
    effects: [],
    apply: () => Promise.reject(new Error('broken')),
    async undo() {
      if (hindered.by) throw new Error(hindered.by)
      did.push('undo')
    },
    ...extra,
  }
  const commands = tableOf(performing(() => [step]))
  const start = () => new Runner({ host, commands, report: () => undefined })
  return { host, did, hindered, start }
}

const request = (created_at: number) =>
  ({ command: 'cache.purge', params: shop, fingerprint: 'f', created_at }) as const
const OK = { id: 1, event: 'complete', data: { status: 'ok' } } as const

async function endOf(runner: Runner, id: string): Promise<unknown> {
  const operation = await runner.start('cache.purge', shop, id)
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  await Bun.sleep(0)
  return events.at(-1)?.data.message
}

test('an undo that failed on a full disk completes when there is space', async () => {
  const { did, hindered, start } = machine()
  const runner = start()
  const message = await endOf(runner, 'op1')
  await runner.settle()
  const meanwhile = [...did]

  hindered.by = ''
  await runner.settle()
  await runner.settle()

  expect(message).toBe(
    'No space left on a disk of this server: free some space, and retry (broken; could not undo: Making a (ENOSPC: no space left on device))',
  )
  expect([meanwhile, did]).toEqual([[], ['undo']])
})

test('the next process completes it, once', async () => {
  const { did, hindered, start } = machine()
  await endOf(start(), 'op1')

  hindered.by = ''
  for (let starts = 0; starts < 2; starts++) await (await start().recover()).ended

  expect(did).toEqual(['undo'])
})

test.each(['the same process', 'the next process'])(
  '%s completes an undo that began, although the operation would be decided by now',
  async (which) => {
    const answers = { decided: false }
    const { did, hindered, start } = machine(fakeHost(), { decided: async () => answers.decided })
    const runner = start()
    await endOf(runner, 'op1')

    answers.decided = true
    hindered.by = ''
    if (which === 'the same process') await runner.settle()
    else await (await start().recover()).ended

    expect(did).toEqual(['undo'])
  },
)

test('no other operation starts before it while the disk is full', async () => {
  const { did, hindered, start } = machine()
  const runner = start()
  await endOf(runner, 'op1')

  const refused = runner.start('cache.purge', shop, 'op2')
  await expect(refused).rejects.toThrow(
    'No space left on a disk of this server: free some space, and retry (An earlier operation is not cleaned up yet: Making a (ENOSPC: no space left on device))',
  )
  expect(await runner.store.ids()).toEqual(['op1'])

  hindered.by = ''
  await endOf(runner, 'op2')
  expect(did).toEqual(['undo', 'undo'])
})

test('another cause is left to an administrator, and blocks no operation', async () => {
  const { did, hindered, start } = machine()
  const runner = start()
  hindered.by = 'in use'
  await endOf(runner, 'op1')

  expect(await endOf(runner, 'op2')).toBe('broken; could not undo: Making a (in use)')

  hindered.by = ''
  await runner.settle()
  expect(did).toEqual(['undo'])
})

test('a restart does not undo an operation that another one followed', async () => {
  const { host, did, hindered, start } = machine()
  const runner = start()
  await endOf(runner, 'op1')
  await runner.store.create({ id: 'later', ...request(host.time + 1) })
  await runner.store.addEvent('later', OK)

  hindered.by = ''
  await (await start().recover()).ended

  expect(did).toEqual([])
})

test('a success is never undone, also when its mark is lost', async () => {
  const { host, did, hindered, start } = machine()
  const { store } = start()
  await store.create({ id: 'op1', ...request(host.time) })
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await store.addEvent('op1', OK)

  hindered.by = ''
  await (await start().recover()).ended

  expect(did).toEqual([])
})

type StepOf = (name: string, extra?: Partial<Step>) => Step

/** An operation whose step a decides it, cut off by a full disk at a step that fills it. */
async function decided(others: (step: StepOf, filling: StepOf) => Step[]) {
  const did: string[] = []
  const disk = { full: true }
  const step: StepOf = (name, extra = {}) => ({
    ...{ name, title: `Making ${name}`, effects: [] },
    apply: async () => void did.push(name),
    ...extra,
  })
  const filling: StepOf = (name) =>
    step(name, {
      async apply() {
        if (disk.full) throw new Error(FULL)
        did.push(name)
      },
    })
  const first = step('a', { decided: async () => did.includes('a') })
  const commands = tableOf(performing(() => [first, ...others(step, filling)]))
  const runner = new Runner({ host: fakeHost(), commands, report: () => undefined })
  await endOf(runner, 'op1')
  return { did, disk, runner }
}

test('steps after a point of no return complete when there is space', async () => {
  const { did, disk, runner } = await decided((_, filling) => [filling('b')])
  const meanwhile = [...did]

  disk.full = false
  await runner.settle()
  await runner.settle()

  expect([meanwhile, did]).toEqual([['a'], ['a', 'b']])
})

test('steps after a point of no return that are done are not repeated', async () => {
  const { did, disk, runner } = await decided((step, filling) => [
    ...[step('b'), filling('c'), step('d')],
  ])

  disk.full = false
  await runner.settle()

  expect(did).toEqual(['a', 'b', 'c', 'd'])
})

test('a step after a point of no return that was skipped does not run later', async () => {
  const others = { isReady: true }
  const { did, disk, runner } = await decided((step, filling) => [
    ...[step('b', { check: async () => others.isReady }), filling('c')],
  ])

  // Another operation follows, and needs what the skipped step would make.
  others.isReady = false
  disk.full = false
  await runner.settle()
  await runner.settle()

  expect(did).toEqual(['a', 'c'])
  expect(await runner.store.journal('op1')).toContainEqual({ step: 'b', state: 'skipped' })
  expect(await runner.store.unended()).toEqual([])
})

test('a step after a point of no return that was done, and began again, is repeated', async () => {
  const { did, disk, runner } = await decided((step, filling) => [step('b'), filling('c')])
  // As a resumed operation that ended there leaves it.
  await runner.store.addEntry('op1', { step: 'b', state: 'intent' })

  disk.full = false
  await runner.settle()
  await runner.settle()

  expect(did).toEqual(['a', 'b', 'b', 'c'])
})
