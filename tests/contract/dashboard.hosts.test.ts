// tier: core
import { describe, expect, test } from 'bun:test'
import { rawRequest, sendRaw } from '#tests/support/client.ts'
import { unauthorized } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const HOSTS = [
  'x',
  'a.b',
  '',
  'ab',
  '/',
  'x/health',
  '@',
  'a'.repeat(300),
  '[::1]',
  'x\\y',
  'x?/',
  '%',
]
const RAW = ['/api/servers', '/api/servers/1', '/api/fleet', '/api/nowhere', '/api/x?/health']

describe('without authentication', () => {
  const dashboard = useDashboard()

  const raw = RAW.flatMap((path) => ['GET', 'POST', 'DELETE'].map((method) => ({ method, path })))
  test.each(HOSTS)('every route is closed for the Host header %p', async (host) => {
    for (const { method, path } of raw) {
      const request = rawRequest(method, path, [`Host: ${host}`])

      const { status, body } = await sendRaw(dashboard.running().url, request)

      if (status !== 400)
        expect({ path, status, body }).toEqual({ path, status: 401, body: unauthorized })
    }
  })

  test.each(['HTTP/1.1', 'HTTP/1.0'])(
    'every route is closed without a Host header, %s',
    async (version) => {
      const request = `GET /api/servers ${version}\r\nConnection: close\r\n\r\n`

      const { status, text } = await sendRaw(dashboard.running().url, request)

      expect([400, 401]).toContain(status)
      expect(text).not.toContain('servers')
    },
  )

  test.each([
    '//api/servers',
    '/./api/servers',
    '/x/../api/servers',
    '/api//servers',
    '/api/./servers',
    '/api/auth/login/../../servers',
    '/api/auth/login/..%2f..%2fservers',
    '/%61pi/servers',
    '/api%2fservers',
    '/API/servers',
    '/health/../api/servers',
    '/health?/../api/servers',
    '/api/servers#/health',
    '/api/servers;/health',
    'http://x/api/servers',
    'http://health/api/servers',
    'http:///api/servers',
    '*',
  ])('no spelling of a path opens it: %s', async (target) => {
    const { cookie = '' } = dashboard.client()
    const known = await sendRaw(
      dashboard.running().url,
      rawRequest('GET', '/api/servers', ['Host: x', `Cookie: ${cookie}`]),
    )

    const unknown = await sendRaw(dashboard.running().url, rawRequest('GET', target, ['Host: x']))

    expect(known.body).toEqual({ servers: [] })
    expect(unknown.body).not.toEqual(known.body)
    if (!target.startsWith('/health?')) expect([400, 401, 404]).toContain(unknown.status)
  })
})
