// tier: core
import { beforeAll, expect, test } from 'bun:test'
import type { KeyView } from '#shared/servers/api/keys.ts'
import { poll } from '#tests/support/lab/wait.ts'
import { useDashboard } from '#tests/support/running.ts'
import { times } from '#tests/support/runs.ts'
import { type Enrolled, enrolled, startSigned } from '#tests/support/trust/enrolled.ts'

const HALF = times(100)

const { client } = useDashboard()
/** One agent that is always online, and one that is offline during the rotation. */
let present: Enrolled
let away: Enrolled

beforeAll(async () => {
  present = await enrolled(client(), 'present')
  away = await enrolled(client(), 'away')
}, 60_000)

const keys = async () => ((await client().get('/api/keys')).body as { keys: KeyView[] }).keys
const sync = async ({ id }: Enrolled) => (await client().post(`/api/servers/${id}/sync`)).text

/** What of so many syncs in a row did not end well. */
async function failures(count: number): Promise<string[]> {
  const failed: string[] = []
  for (let left = count; left > 0; left--) {
    const text = await sync(present)
    if (!text.includes('event: complete')) failed.push(text)
  }
  return failed
}

/** The same, but the key changes half-way, whatever is running then. */
async function failuresAround(change: () => Promise<unknown>): Promise<string[]> {
  const first = await failures(HALF)
  const [, second] = await Promise.all([change(), failures(HALF)])
  return [...first, ...second]
}

test('one key signs for two agents', async () => {
  expect(await keys()).toMatchObject([{ state: 'current', until: null, agents: 2 }])
})

test(`none of ${2 * HALF} syncs around a rotation fails`, async () => {
  const [before] = await keys()
  await away.agent.stop()

  expect(await failuresAround(() => client().post('/api/keys/rotate'))).toEqual([])

  const [current, leaving] = await keys()
  expect(current).toMatchObject({ state: 'current', agents: 1 })
  expect(current?.kid).not.toBe(before?.kid)
  expect(leaving).toMatchObject({ kid: before?.kid, state: 'leaving', agents: 1 })
}, 180_000)

test('an agent that was offline gets the key when it is back, and the old one is retired', async () => {
  expect(await sync(away)).toContain('Agent offline')
  away.agent = await startSigned(away.state, away.agent.port)

  expect(await sync(away)).toContain('event: complete')

  expect(await keys()).toMatchObject([{ state: 'current', agents: 2 }])
  expect(await keys()).toHaveLength(1)
})

test('the activity log has the rotation and the end of the old key', async () => {
  const { body } = await client().get('/api/activity?limit=500')

  const { activities } = body as { activities: { type: string; status: string }[] }
  const rotations = activities.filter(({ type }) => type.startsWith('key.'))
  expect(rotations.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'key.retire success',
    'key.rotate success',
  ])
})

test('root on a server can replace the old key with the current one by hand', async () => {
  await away.agent.stop()
  await client().post('/api/keys/rotate')
  const [current] = await keys()
  const path = `${away.state}/trust/hub.json`
  const [, kid, public_key] = current?.hub_key.split(':') ?? []
  const trusted = { server_id: away.id, epoch: 9, keys: [{ kid, public_key, until: null }] }
  await Bun.write(path, JSON.stringify(trusted))
  away.agent = await startSigned(away.state, away.agent.port)

  expect(await sync(away)).toContain('event: complete')

  const all = () => keys().then(([{ agents } = { agents: 0 }]) => agents === 2)
  expect(await poll(all, { every_ms: 100 })).toBe(true)
})
