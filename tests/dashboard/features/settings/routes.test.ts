import { describe, expect } from 'bun:test'
import { dashboardTest as test } from '#tests/support/dashboard/dashboard.ts'

describe('settings', () => {
  test('have defaults and keep what is changed', async (dashboard) => {
    const before = await dashboard.call('GET', '/api/settings')
    const change = await dashboard.call('PUT', '/api/settings/sync_interval', { value: 5 })
    const after = await dashboard.call('GET', '/api/settings')

    expect(before.body).toEqual({
      settings: { default_php: '8.2', sync_interval: 60, email_notifications: true },
    })
    expect(change).toEqual({
      status: 200,
      body: { key: 'sync_interval', value: 5, updated: true },
    })
    expect(after.body.settings.sync_interval).toBe(5)
    const trimmed = await dashboard.call('PUT', '/api/settings/default_php', { value: ' 8.3 ' })
    expect(trimmed.body).toEqual({ key: 'default_php', value: '8.3', updated: true })
  })

  test.each<[string, object, string, unknown]>([
    ['sync_interval', { value: '60' }, 'value', 'Must be a positive integer'],
    ['sync_interval', { value: 0 }, 'value', 'Must be a positive integer'],
    ['sync_interval', { value: -1 }, 'value', 'Must be a positive integer'],
    ['sync_interval', { value: 1.5 }, 'value', 'Must be a positive integer'],
    ['sync_interval', {}, 'value', 'Must be a positive integer'],
    ['default_php', { value: '8' }, 'value', 'Must be a PHP version such as 8.3'],
    [
      'default_php',
      { value: '9.9' },
      'value',
      'Must be a PHP version that exists (5.2 to 8.5) or that a server has',
    ],
    ['email_notifications', { value: 1 }, 'value', 'Must be true or false'],
    ['backups_per_server', { value: 0 }, 'value', 'Must be between 1 and 3'],
    ['backups_per_server', { value: 4 }, 'value', 'Must be between 1 and 3'],
    ['backups_per_server', { value: '2' }, 'value', 'Must be between 1 and 3'],
    ['backups_at_once', { value: 1.5 }, 'value', 'Must be between 1 and 100'],
    ['backups_at_once', { value: 101 }, 'value', 'Must be between 1 and 100'],
    ['proofs_at_once', { value: 0 }, 'value', 'Must be between 1 and 100'],
    ['__proto__', { value: 1 }, 'key', expect.any(String)],
    ...['nothing', 'DEFAULT_PHP', 'default_php%20', 'constructor', '%5F%5Fproto%5F%5F'].map(
      (key): [string, object, string, unknown] => [key, { value: 1 }, 'key', expect.any(String)],
    ),
  ])('%s = %j is refused on %s', async (dashboard, key, input, field, message) => {
    expect(await dashboard.call('PUT', `/api/settings/${key}`, input)).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields: { [field]: [message] } },
    })
  })
})
