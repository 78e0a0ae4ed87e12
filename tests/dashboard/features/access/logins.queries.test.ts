import { expect, test } from 'bun:test'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA, ANNA_FINGERPRINT, BEN_FINGERPRINT } from '#tests/support/ssh-keys.ts'

const AT = '2026-01-01T12:00:00.000Z'
const SHELL = '2026-01-01T14:00:00.000Z'
const BY_PASSWORD = '2026-01-01T15:00:00.000Z'
const LATER = '2026-01-01T13:00:00.000Z'

test('logins become activities once, and the page names the person', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  const id = await dashboard.addServer(agent)
  await dashboard.addSite(id, { domain: 'shop.example', php: '8.2', tls: 'none' })
  const { body } = await dashboard.call('POST', '/api/people', { name: 'Anna' })
  await dashboard.call('POST', `/api/people/${body.person.id}/keys`, { key: ANNA })
  const login = { domain: 'shop.example', address: '203.0.113.7', kind: 'sftp' }
  const logins: object[] = [
    { ...login, at: AT, fingerprint: ANNA_FINGERPRINT },
    { ...login, at: LATER, fingerprint: BEN_FINGERPRINT },
    { ...login, at: LATER, fingerprint: BEN_FINGERPRINT },
    { ...login, at: SHELL, fingerprint: ANNA_FINGERPRINT, kind: 'shell' },
    { ...login, at: BY_PASSWORD, fingerprint: '', client: 'abcd2345' },
    { ...login, domain: 'other.example', at: AT, fingerprint: ANNA_FINGERPRINT },
  ]
  agent.answers.set('/logins', () => Response.json({ logins }))
  const ENDED = '2026-01-01T14:05:00.000Z'
  const sync = async () => (await dashboard.send('POST', `/api/servers/${id}/sync`, {})).text()

  await sync()
  logins.push({
    ...login,
    at: SHELL,
    fingerprint: ANNA_FINGERPRINT,
    kind: 'shell',
    ended_at: ENDED,
  })
  logins.splice(3, 1)
  await sync()
  await sync()

  const { access } = (await dashboard.call('GET', `/api/servers/${id}/sites/1/access`)).body
  expect(access.logins).toEqual([
    {
      at: BY_PASSWORD,
      ended_at: null,
      address: '203.0.113.7',
      fingerprint: '',
      person: null,
      client: 'abcd2345',
    },
    {
      at: SHELL,
      ended_at: ENDED,
      address: '203.0.113.7',
      fingerprint: ANNA_FINGERPRINT,
      person: 'Anna',
      client: null,
    },
    {
      at: LATER,
      ended_at: null,
      address: '203.0.113.7',
      fingerprint: BEN_FINGERPRINT,
      person: null,
      client: null,
    },
    {
      at: AT,
      ended_at: null,
      address: '203.0.113.7',
      fingerprint: ANNA_FINGERPRINT,
      person: 'Anna',
      client: null,
    },
  ])
  const { activities } = (await dashboard.call('GET', '/api/activity?type=site.sftp_login')).body
  expect(activities).toEqual([
    {
      id: expect.any(Number),
      type: 'site.sftp_login',
      domain: 'shop.example',
      status: 'success',
      created_at: LATER,
    },
    {
      id: expect.any(Number),
      type: 'site.sftp_login',
      domain: 'shop.example',
      status: 'success',
      created_at: AT,
    },
  ])
  const shells = (await dashboard.call('GET', '/api/activity?type=site.shell_login')).body
  expect(shells.activities).toMatchObject([{ domain: 'shop.example', created_at: SHELL }])
  const clients = (await dashboard.call('GET', '/api/activity?type=site.client_login')).body
  expect(clients.activities).toMatchObject([{ domain: 'shop.example', created_at: BY_PASSWORD }])
})
