import { expect, test } from 'bun:test'
import { ending, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA, ANNA_FINGERPRINT } from '#tests/support/ssh-keys.ts'

const AT = '/api/servers/1/sites/1/access/sessions'
const SINCE = '2026-01-01T12:00:00.000Z'

/** A site with two open sessions, and Anna, who has a key. */
async function started() {
  const agent = new FakeAgent()
  const dashboard = await makeDashboard()
  await dashboard.addServer(agent)
  await dashboard.addSite(1, { domain: 'shop.example', php: '8.2', tls: 'none' })
  await dashboard.call('POST', '/api/people', { name: 'Anna' })
  await dashboard.call('POST', '/api/people/1/keys', { key: ANNA })
  const open = { at: SINCE, address: '203.0.113.7', kind: 'sftp' }
  const sessions = [
    { ...open, id: '10-1', fingerprint: ANNA_FINGERPRINT, client: null },
    { ...open, id: '11-2', fingerprint: '', client: 'abcd2345' },
  ]
  const ended: unknown[] = []
  agent.answers.set('/sites/sessions', () => Response.json({ sessions }))
  agent.answers.set('/sites/sessions/end', async (request) => {
    const asked = Object(await request.json())
    ended.push(asked)
    const session = sessions.find(({ id }) => id === asked.id)
    if (session) return Response.json({ session })
    return Response.json({ error: 'Not found', message: 'Session not found' }, { status: 404 })
  })
  return { dashboard, ended, ...ending(dashboard, agent) }
}

test('lists who is connected, and ends one of them', async () => {
  await using all = await started()

  const listed = await all.dashboard.call('GET', AT)
  const { status } = await all.dashboard.call('POST', `${AT}/end`, { id: '10-1' })
  const gone = await all.dashboard.call('POST', `${AT}/end`, { id: '12-3' })
  const wrong = await all.dashboard.call('POST', `${AT}/end`, { id: '12' })

  const row = { at: SINCE, kind: 'sftp', address: '203.0.113.7' }
  const anna = `Anna, key ${ANNA_FINGERPRINT}`
  expect(listed.body.sessions).toEqual([
    { ...row, id: '10-1', who: anna },
    { ...row, id: '11-2', who: 'client account abcd2345, password' },
  ])
  expect([status, gone.status, wrong.status, wrong.body.fields]).toEqual([
    204,
    404,
    422,
    { id: ['Must be the id of a session'] },
  ])
  const sent = { domain: 'shop.example' }
  expect(all.ended).toEqual([
    { ...sent, id: '10-1' },
    { ...sent, id: '12-3' },
  ])
  const path = '/api/fleet/activity?type=site.session_end'
  const { activities } = (await all.dashboard.call('GET', path)).body
  const entry = { domain: 'shop.example', actor: 'ann@control.example', via: 'session' }
  expect(activities).toMatchObject([
    { ...entry, status: 'failed', detail: null },
    { ...entry, status: 'success', detail: `${anna}, from 203.0.113.7, since ${SINCE}` },
  ])
})

test('somebody who may only read ends no session', async () => {
  await using all = await started()
  const body = { name: 'reader', password: PASSWORD, scope: 'read' }
  const { plaintext } = (await all.dashboard.call('POST', '/api/auth/tokens', body)).body
  const headers = { cookie: '', authorization: `Bearer ${plaintext}` }

  const listed = await all.dashboard.call('GET', AT, undefined, headers)
  const refused = await all.dashboard.call('POST', `${AT}/end`, { id: '10-1' }, headers)

  expect([listed.status, refused.status, all.ended]).toEqual([200, 403, []])
})
