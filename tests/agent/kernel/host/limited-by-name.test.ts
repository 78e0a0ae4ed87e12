import { expect, test } from 'bun:test'
import type { ConcurrencyLimit } from '#agent/kernel/host/concurrency-limit.ts'
import { limitedByName } from '#agent/kernel/host/limited-by-name.ts'

/** Tasks that end on request; `did` is what happened, in order. */
function room(most = 2, extra: Partial<ConcurrencyLimit<number>> = {}) {
  const shared = limitedByName()
  const did: string[] = []
  let firsts = 0
  const start = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sharing: ConcurrencyLimit<number> = {
      most,
      waits: () => did.push(`${name} waits`),
      async first() {
        firsts += 1
        did.push(`first ${firsts}`)
        return firsts
      },
      last: async (state) => void did.push(`last ${state}`),
      ...extra,
    }
    const end = shared('import', sharing, async (state) => {
      did.push(`${name} in ${state}`)
      await promise
      did.push(`${name} out`)
    })
    return { end, finish: resolve, fail: () => reject(new Error(`${name} broke`)) }
  }
  return { did, start }
}

const settled = () => Bun.sleep(1)

test('runs those that have a place at once, the others in the order of their calls', async () => {
  const { did, start } = room()
  const tasks = ['a', 'b', 'c', 'd'].map(start)
  await settled()
  expect(did.splice(0)).toEqual(['c waits', 'd waits', 'first 1', 'a in 1', 'b in 1'])

  tasks[1]?.finish()
  await settled()
  expect(did.splice(0)).toEqual(['b out', 'c in 1'])

  for (const at of [0, 2, 3]) {
    tasks[at]?.finish()
    await tasks[at]?.end
    await settled()
  }
  expect(did).toEqual(['a out', 'd in 1', 'c out', 'd out', 'last 1'])
})

test('begins again after the last one, also after one that failed', async () => {
  const { did, start } = room()
  const task = start('a')
  await settled()
  task.fail()
  await expect(task.end).rejects.toThrow('a broke')
  const next = start('b')
  next.finish()
  await next.end

  expect(did).toEqual(['first 1', 'a in 1', 'last 1', 'first 2', 'b in 2', 'b out', 'last 2'])
})

test('keeps no place for one whose beginning or end failed', async () => {
  const broken = { first: () => Promise.reject(new Error('no answer')) }
  const { start } = room(1, broken)
  await expect(start('a').end).rejects.toThrow('no answer')
  await expect(start('b').end).rejects.toThrow('no answer')

  const late = room(1, { last: () => Promise.reject(new Error('too late')) })
  const first = late.start('a')
  first.finish()
  await expect(first.end).rejects.toThrow('too late')
  const second = late.start('b')
  second.finish()
  await expect(second.end).rejects.toThrow('too late')
  expect(late.did).toEqual(['first 1', 'a in 1', 'a out', 'first 2', 'b in 2', 'b out'])
})
