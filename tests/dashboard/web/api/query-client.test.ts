import { expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/react-query'
import { makeQueryClient, ONCE } from '#dashboard/web/api/query-client.ts'

test('an answer that starts work is requested once, also after a break of the event stream', async () => {
  const ignore = () => undefined
  const client = makeQueryClient(ignore, ignore)
  let count = 0
  const queryFn = async () => ++count
  const stops = [{ ...ONCE }, { staleTime: 0, refetchInterval: false as const }].map((how, at) =>
    new QueryObserver(client, { queryKey: [at], queryFn, ...how }).subscribe(() => undefined),
  )
  await client.refetchQueries()
  expect(count).toBe(2)

  await client.invalidateQueries()

  expect(count).toBe(3)
  for (const stop of stops) stop()
  client.clear()
})
