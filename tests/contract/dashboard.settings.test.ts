// tier: core
import { describe, expect, test } from 'bun:test'
import { hostilePhp, noText } from '#tests/support/hostile.ts'
import { failed, failedOn, type Row, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const put = (key: string, value: unknown) => ({
  method: 'PUT',
  path: `/api/settings/${key}`,
  body: { value },
})
const updated = (key: string, value: unknown): Row =>
  row(`Setting ${key} to ${JSON.stringify(value)} answers key, value and updated true`)
    .call(put(key, value))
    .answers(200, { key, value, updated: true })

const rows: Row[] = [
  row('The settings are an object of three keys with their types')
    .get('/api/settings')
    .answers(200, {
      settings: {
        default_php: expect.stringMatching(/^\d\.\d$/),
        sync_interval: expect.any(Number),
        email_notifications: expect.any(Boolean),
      },
    }),
  updated('default_php', '8.4'),
  updated('sync_interval', 1),
  updated('sync_interval', 3600),
  updated('email_notifications', false),
  row('A string setting is trimmed')
    .call(put('default_php', ' 8.3 '))
    .answers(200, { key: 'default_php', value: '8.3', updated: true }),
  row('Settings are there when they are read again')
    .get('/api/settings')
    .answers(200, {
      settings: { default_php: '8.3', sync_interval: 3600, email_notifications: false },
    }),
  row('A sync_interval that is not positive says what it must be')
    .call(put('sync_interval', 0))
    .answers(422, failed({ value: ['Must be a positive integer'] })),
  row('A setting without a value is 422 on value')
    .put('/api/settings/sync_interval', {})
    .answers(422, failedOn('value')),
]

const hostile: Record<string, readonly unknown[]> = {
  sync_interval: [0, -1, 1.5, -60, 1e300, '60', 'abc', '', '60; id', null, true, [], [60], {}],
  default_php: [...hostilePhp, ...noText, 8.3],
  email_notifications: [null, 0, 1, 'true', 'false', '', 'yes', [], [true], {}],
}

const UNKNOWN = ['nope', 'DEFAULT_PHP', 'default_php%20', 'default_php%00', 'sync-interval']
const PROTOTYPE = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '%5F%5Fproto%5F%5F']

describe('settings', () => {
  const { client } = useDashboard()

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test.each(Object.keys(hostile))(
    'a hostile %s is 422 on value and changes nothing',
    async (key) => {
      const before = await client().get('/api/settings')
      for (const value of hostile[key] ?? []) {
        const { status, body } = await client().send(put(key, value))

        expect({ value, status, body }).toEqual({ value, status: 422, body: failedOn('value') })
      }

      expect((await client().get('/api/settings')).body).toEqual(before.body)
    },
  )

  test.each([...UNKNOWN, ...PROTOTYPE])('an unknown key is 422 on key: %s', async (key) => {
    const answer = await client().send(put(key, 1))

    expect(answer).toAnswer({ status: 422, answer: failedOn('key') })
  })

  test('the default PHP version applies to the next site', async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().send(put('default_php', '8.1'))
    await client().post('/api/servers/1/sites', { domain: 'php.example' })

    const { body } = await client().get('/api/servers/1/sites/1')

    expect((body as { site: { php: string } }).site.php).toBe('8.1')
  })
})
