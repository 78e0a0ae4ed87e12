// tier: gate
import { Database } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { record } from '#tests/support/dashboard/record.ts'
import { sweep, temporaryFolder } from '#tests/support/processes.ts'
import { enrolled } from '#tests/support/trust/enrolled.ts'

setDefaultTimeout(60_000)
afterAll(sweep)

/** Two servers with the executable of the agent, which trust the dashboard. */
async function addAgents(dashboard: Dashboard) {
  const post = (path: string, body?: unknown) => dashboard.call('POST', path, body)
  dashboard.deps.enroller.start()
  const agents = [await enrolled({ post }, 'one'), await enrolled({ post }, 'two')]
  await dashboard.deps.enroller.stop()
  for (const { id } of agents)
    await (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()
  return agents
}

/** The folder of a dashboard as a backup of its machine has it. */
async function copyOf({ folder }: Dashboard): Promise<string> {
  const copy = await temporaryFolder('old-copy')
  await cp(folder, copy, { recursive: true, filter: (path) => !/test\.db/.test(path) })
  const database = new Database(`${folder}/test.db`)
  database.run(`vacuum into '${copy}/test.db'`)
  database.close()
  return copy
}

async function seal({ deps }: Dashboard): Promise<void> {
  await deps.record.seal()
  await deps.record.keep()
}

async function sealAndAsk(dashboard: Dashboard): Promise<void> {
  await seal(dashboard)
  await dashboard.deps.witnesses.ask()
}

/** What an owner sees: the result of a verification, and the critical items of the record. */
async function seen(dashboard: Dashboard) {
  const { ok, problem } = (await dashboard.call('GET', '/api/activity/verify')).body
  const { attention } = (await dashboard.call('GET', '/api/fleet')).body
  const items = attention.flatMap(({ items }: { items: { name: string; severity: string }[] }) =>
    items.filter(({ name }) => name === 'Record of the activity').map(({ severity }) => severity),
  )
  return { ok, code: problem?.code ?? null, items }
}

test('an old copy of a dashboard is noticed by its agents, also after its record has grown again', async () => {
  await using dashboard = await makeDashboard()
  const agents = await addAgents(dashboard)
  const last = () =>
    Promise.all(agents.map(({ state }) => Bun.file(`${state}/trust/record.json`).json()))
  await sealAndAsk(dashboard)
  const [first] = await last()
  const folder = await copyOf(dashboard)
  await record(dashboard, ['a', 'b', 'c', 'd', 'e', 'f'])
  await sealAndAsk(dashboard)
  const kept = await last()
  expect(kept.map(({ size }) => size - first.size)).toEqual([6, 6])
  expect(await seen(dashboard)).toEqual({ ok: true, code: null, items: [] })
  await dashboard.stop()

  await using restored = await makeDashboard({ folder })
  await seal(restored)
  const alone = await seen(restored)
  await restored.deps.witnesses.ask()
  // The overview may be a cached one for a second.
  const noticed = await until(async () => {
    const now = await seen(restored)
    return now.items.length > 0 && now
  })
  await record(restored, Array(20).fill('x'))
  await sealAndAsk(restored)

  expect({ alone, noticed, grown: await seen(restored) }).toEqual({
    alone: { ok: true, code: null, items: [] },
    noticed: { ok: false, code: 'older', items: ['critical'] },
    grown: { ok: false, code: 'contradiction', items: ['critical'] },
  })
  expect(await last()).toEqual(kept)
})
