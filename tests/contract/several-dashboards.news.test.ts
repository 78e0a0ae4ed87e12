// tier: core
import { afterAll, expect, test } from 'bun:test'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { exchangeNews } from '#dashboard/kernel/leases/news.queries.ts'
import { SharedRecords } from '#tests/support/leases/fleet.ts'
import { sweep } from '#tests/support/processes.ts'

afterAll(sweep)

const DASHBOARDS = 4
const ROUNDS = 50

test('dashboards that exchange news at the same time receive each of the others once', async () => {
  const records = await SharedRecords.start()
  const token = (await Bun.file(records.sqld.token_file).text()).trim()
  const names = Array.from({ length: DASHBOARDS }, (_, number) => `dashboard ${number}`)
  const exchange = async (name: string) => {
    const db = await openDatabase(records.sqld.url, token)
    const received: string[] = []
    let after = 0
    const learn = async (topics: readonly string[]) => {
      const news = await exchangeNews(db, { name, topics, after })
      after = news.at(-1)?.id ?? after
      received.push(...news.map(({ topic }) => topic))
    }
    for (let round = 0; round < ROUNDS; round++) await learn([`${name} ${round}`])
    return { last: () => learn([]), received, close: () => db.close() }
  }
  const all = await Promise.all(names.map(exchange))
  for (const { last } of all) await last()

  for (const [at, { received }] of all.entries()) {
    const others = names.filter((_, other) => other !== at)
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
    const expected = others.flatMap((name) => rounds.map((round) => `${name} ${round}`))
    expect(received.sort()).toEqual(expected.sort())
  }
  for (const { close } of all) close()
  await records.stop()
}, 60_000)
