// tier: core
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { SharedRecords } from '#tests/support/leases/fleet.ts'
import { sweep } from '#tests/support/processes.ts'

setDefaultTimeout(180_000)
afterAll(sweep)

const ROUNDS = 30
const PATHS = [
  ...['/api/servers', '/api/servers/1/sites', '/api/fleet', '/api/fleet/sites', '/api/activity'],
  ...['/api/fleet/activity', '/api/auth/me'],
]

test('kept answers of two dashboards follow the records of their libSQL server', async () => {
  const records = await SharedRecords.start()
  const [one, two] = [await records.add(), await records.add()]
  const members = [one, two]
  await one.client.post('/api/servers', { hostname: '127.0.0.1', port: 1, name: 'one' })
  const warm = async () => {
    for (const { client } of members) for (const path of PATHS) await client.get(path)
  }
  const statuses = async () => {
    const answers = members.flatMap(({ client }) => PATHS.map((path) => client.get(path)))
    return new Set((await Promise.all(answers)).map(({ status }) => status))
  }
  const names = () =>
    Promise.all(
      members.map(async ({ client }) => {
        const { text } = await client.get('/api/servers')
        return JSON.parse(text).servers[0].name
      }),
    )

  for (let round = 0; round < ROUNDS; round++) {
    const name = `renamed-${round}`
    const { client } = round % 2 ? one : two
    await client.send({ method: 'PATCH', path: '/api/servers/1', body: { name } })
    expect(await names()).toEqual([name, name])
  }
  // What an administrator writes is seen after the next write of a dashboard.
  await records.rows(`update servers set name = 'by hand' where id = 1`)
  await two.client.send({ method: 'PATCH', path: '/api/servers/1', body: { tags: ['changed'] } })
  expect(await names()).toEqual(['by hand', 'by hand'])

  await warm()
  await records.sqld.kill()
  expect(await statuses()).toEqual(new Set([500]))
  await records.sqld.start()
  expect(await statuses()).toEqual(new Set([200]))

  await warm()
  await one.client.post('/api/auth/logout')
  expect(await statuses()).toEqual(new Set([401]))
  await records.stop()
})
