// tier: full
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { type Member, startThree, until } from '#tests/support/leases/fleet.ts'
import { sweep } from '#tests/support/processes.ts'

setDefaultTimeout(180_000)
afterAll(sweep)

const TURNS = 40

const verified = async ({ client }: Member) =>
  Object((await client.get('/api/activity/verify')).body) as Record<string, unknown>

/** Each member finds every entry sealed, in one chain. */
async function areSealed(members: readonly Member[]): Promise<boolean> {
  const results = await Promise.all(members.map(verified))
  const ends = new Set(results.map(({ checkpoint }) => checkpoint))
  return ends.size === 1 && results.every(({ ok, unsealed }) => ok === true && unsealed === 0)
}

test('three dashboards on one libSQL server write one record, also after a kill', async () => {
  const agent = new FakeAgent()
  const { records, members } = await startThree(agent)
  const write = async ({ client }: Member, turn: number) => {
    const body = { value: 300 + turn }
    expect((await client.put('/api/settings/sync_interval', body)).status).toBe(200)
  }

  for (let turn = 0; turn < TURNS; turn++)
    await Promise.all(members.map((member) => write(member, turn)))
  await until('sealed entries', () => areSealed(members))

  const [{ total }] = (await records.rows('select count(*) as total from activities')) as [
    { total: number },
  ]
  expect(total).toBeGreaterThan(3 * TURNS)
  expect(await verified(members[0])).toMatchObject({ ok: true, entries: total, problem: null })

  const holder = members.find((member) => member.shares().has('fleet'))
  if (!holder) throw new Error('nobody has the work of the fleet')
  await holder.dashboard.kill()
  const others = members.filter((member) => member !== holder)
  for (const member of others) await write(member, TURNS)
  await until('sealed entries after the kill', () => areSealed(others))
  expect(await verified(others[0] as Member)).toMatchObject({ ok: true, entries: total + 2 })

  await records.rows(`update activities set address = '203.0.113.7' where id = 9`)
  for (const member of others)
    expect(await verified(member)).toMatchObject({ problem: { code: 'changed', id: 9 } })
  await records.stop()
  await agent.stop()
})
