// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import {
  hostileHosts,
  hostileNames,
  hostilePorts,
  hostileTags,
  hostileUsers,
  noText,
} from '#tests/support/hostile.ts'
import { failedOn } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const given = { name: 'Web 1', hostname: 'web1.example.com', port: 9443, user: 'deploy', tags: [] }

const hostile: Record<string, readonly unknown[]> = {
  name: [...hostileNames, ...noText],
  hostname: [...hostileHosts, ...noText],
  port: hostilePorts,
  user: [...hostileUsers, ...noText],
  tags: hostileTags,
}

describe('a server', () => {
  const { client } = useDashboard()
  beforeAll(async () => {
    await client().post('/api/servers', given)
  })

  test.each(Object.keys(hostile))(
    'with a hostile %s is 422 on it and changes nothing',
    async (field) => {
      const before = await client().get('/api/servers')
      const { body: activity } = await client().get('/api/activity')
      for (const value of hostile[field] ?? []) {
        const created = { ...given, [field]: value }
        const answers = [
          await client().post('/api/servers', created),
          await client().patch('/api/servers/1', { [field]: value }),
        ]
        for (const { status, body } of answers) {
          expect({ value, status, body }).toEqual({ value, status: 422, body: failedOn(field) })
        }
      }

      expect((await client().get('/api/servers')).body).toEqual(before.body)
      expect((await client().get('/api/activity')).body).toEqual(activity)
    },
  )
})
