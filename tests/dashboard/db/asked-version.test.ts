import { expect, test } from 'bun:test'
import type { Client } from '@libsql/client'
import { AskedVersion } from '#dashboard/db/asked-version.ts'
import { connectToServer } from '#dashboard/db/connect.ts'

/** A server whose answers a test gives. */
function held() {
  const asked: PromiseWithResolvers<unknown>[] = []
  const execute = () => {
    const answer = Promise.withResolvers<unknown>()
    asked.push(answer)
    return answer.promise
  }
  const version = new AskedVersion({ execute } as unknown as Client)
  const answer = (substance: string) =>
    asked.at(-1)?.resolve({ rows: [{ substance, readings: 'r' }] })
  return { version, asked, answer }
}

test('those that wait share a query, which starts after they have asked', async () => {
  const { version, asked, answer } = held()
  const first = version.ask()
  await Bun.sleep(0)
  // It runs already: these need the state after it.
  const [second, third] = [version.ask(), version.ask()]
  await Bun.sleep(0)
  expect(asked).toHaveLength(1)

  answer('one')
  expect(await first).toEqual({ substance: 'one', readings: 'r' })
  await Bun.sleep(0)
  expect(asked).toHaveLength(2)
  answer('two')

  expect(await Promise.all([second, third])).toEqual([
    { substance: 'two', readings: 'r' },
    { substance: 'two', readings: 'r' },
  ])
})

test('it is unknown while the server does not answer, and known again afterwards', async () => {
  const { version, asked, answer } = held()
  const failing = version.ask()
  await Bun.sleep(0)
  asked[0]?.reject(new Error('refused'))
  expect(await failing).toBeUndefined()

  const again = version.ask()
  await Bun.sleep(0)
  answer('one')
  expect(await again).toEqual({ substance: 'one', readings: 'r' })
})

test('it is unknown soon on a server that accepts requests and does not answer them', async () => {
  const silent = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => undefined) })
  const client = connectToServer({ url: `http://127.0.0.1:${silent.port}` }, 50)
  const began = performance.now()

  expect(await new AskedVersion(client).ask()).toBeUndefined()
  expect(performance.now() - began).toBeLessThan(2_000)
  client.close()
  await silent.stop(true)
})

test('it is unknown on a server that does not count', async () => {
  const { version, asked } = held()
  const empty = version.ask()
  await Bun.sleep(0)
  asked[0]?.resolve({ rows: [] })

  expect(await empty).toBeUndefined()
})
