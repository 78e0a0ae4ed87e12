import { expect, test } from 'bun:test'
import { QueryCache, QueryClient, QueryObserver } from '@tanstack/react-query'
import { CACHE_MS, limitCache, MAX_UNUSED } from '#dashboard/web/api/cache-limit.ts'

const LOOKED_AT = 3 * MAX_UNUSED

/** `settle` advances the time after which an entry is removed. */
function keeping() {
  const cache = new QueryCache()
  let due: (() => void)[] = []
  limitCache(cache, (act) => due.push(act))
  const client = new QueryClient({
    queryCache: cache,
    defaultOptions: { queries: { gcTime: CACHE_MS, enabled: false } },
  })
  const settle = () => {
    for (const act of due) act()
    due = []
  }
  const kept = () => cache.getAll().map(({ queryKey: [at] }) => Number(at))
  return { client, settle, kept }
}

/** A page shows an answer that arrived at this time. */
function look(client: QueryClient, at: number, gcTime = CACHE_MS) {
  client.setQueryData([at], at, { updatedAt: at })
  const observer = new QueryObserver(client, { queryKey: [at], gcTime })
  return { observer, away: observer.subscribe(() => undefined) }
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('keeps only the newest answers', () => {
  const { client, settle, kept } = keeping()
  for (const at of range(1, LOOKED_AT)) look(client, at).away()
  settle()

  expect(kept()).toEqual(range(LOOKED_AT - MAX_UNUSED + 1, LOOKED_AT))
  client.clear()
})

test('keeps visible answers and those with a longer time', () => {
  const { client, settle, kept } = keeping()
  look(client, 1)
  look(client, 2, 2 * CACHE_MS).away()
  for (const at of range(3, LOOKED_AT)) look(client, at).away()
  settle()

  expect(kept()).toEqual([1, 2, ...range(LOOKED_AT - MAX_UNUSED + 1, LOOKED_AT)])
  client.clear()
})

test('keeps a new request that has no answer yet', () => {
  const { client, settle, kept } = keeping()
  for (const at of range(1, MAX_UNUSED)) look(client, at).away()
  settle()
  const { observer } = look(client, MAX_UNUSED + 1)

  observer.setOptions({ queryKey: [0], enabled: false, gcTime: CACHE_MS })
  settle()

  expect(kept()).toEqual([...range(2, MAX_UNUSED + 1), 0])
  client.clear()
})
