// tier: full
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { z } from 'zod'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'
import { create, ODD, startThree, streamed, until } from '#tests/support/leases/fleet.ts'
import { sweep } from '#tests/support/processes.ts'

setDefaultTimeout(180_000)
afterAll(sweep)

/** The number of sites on each server. */
const SITES = 4
const Counts = z.looseObject({ success: z.number(), failed: z.number() })
const Bulk = z.object({ bulk_operation: z.looseObject({ id: z.string(), counts: Counts }) })

describe('three dashboards on one libSQL server', () => {
  test('complete a bulk operation whose dashboard is killed, each target once', async () => {
    const agents = [new FakeAgent(), new FakeAgent(), new FakeAgent()] as const
    const { records, members } = await startThree(...agents)
    const [first] = members
    for (const [at, agent] of agents.entries()) {
      agent.works.set('site.create', async function* ({ domain }) {
        yield 'Creating'
        agent.sites.push(found(String(domain)))
        return { status: 'ok', domain }
      })
      for (let number = 0; number < SITES; number++) {
        const id = await create(first, at + 1, `s${number}.${at}.example`)
        await streamed(first.client, `/api/operations/${id}/events`)
      }
      agent.started.clear()
      agent.works.set('pool.apply', async function* ({ tier }) {
        yield 'Applying'
        await Bun.sleep(300)
        return { tier }
      })
    }
    const holder = members.find((member) => member.shares().has('fleet'))
    const other = members.find((member) => member !== holder)
    if (!holder || !other) throw new Error('nobody has the fleet')
    const { body } = await other.client.post('/api/bulk-operations', {
      type: 'pool.apply',
      params: { tier: 'medium' },
      targets: { site_ids: Array.from({ length: 3 * SITES }, (_, at) => at + 1) },
    })
    const path = `/api/bulk-operations/${Bulk.parse(body).bulk_operation.id}`
    const counts = async () => Bulk.parse((await other.client.get(path)).body).bulk_operation.counts
    await until('some results', async () => (await counts()).success >= 3)

    await holder.dashboard.kill()
    const events = await streamed(other.client, `${path}/events`)
    expect(await counts()).toMatchObject({ success: 3 * SITES, failed: 0 })
    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1))
    expect(events).toHaveLength(2 * 3 * SITES + 2)
    expect(await records.rows(ODD)).toEqual([])
    expect(agents.map(({ started }) => [...started.values()])).toEqual(
      agents.map(() => Array.from({ length: SITES }, () => 1)),
    )
    await records.stop()
    await Promise.all(agents.map((agent) => agent.stop()))
  })
})
