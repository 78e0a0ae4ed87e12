import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await makeDashboard()
})
afterAll(() => dashboard[Symbol.asyncDispose]())

const anonymous = (method: string, url: string, headers = {}) =>
  dashboard.app.handle(new Request(url, { method, headers }))

function raw(port: number, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
    socket.write(`${head}\r\nConnection: close\r\n\r\n`)
  })
}

const PAGES =
  'login invitation reset sso second-factor servers sites operations backups people trash activity settings account your-sites docs'.split(
    ' ',
  )

describe('without a session', () => {
  test('every route is 401 but the logins, invitations, the reset of a password, /health, the OpenAPI document, the download of the agent, Adminer with its own cookie, and the pages', async () => {
    const open: string[] = []
    for (const { method, path } of dashboard.app.routes) {
      const url = `http://localhost${path.replace(/:\w+|\*/g, '1')}`
      const response = await anonymous(method, url)
      if (response.status !== 401) open.push(`${method} ${path}`)
    }

    const pages = PAGES.flatMap((name) => [`GET /${name}`, `GET /${name}/*`])
    expect(open).toEqual([
      'POST /api/auth/reset',
      'POST /api/auth/reset/confirm',
      'GET /api/auth/sso',
      'POST /api/invitations/show',
      'POST /api/invitations/accept',
      'GET /health',
      'GET /agent/:file',
      'GET /api/openapi.json',
      'POST /api/auth/login',
      'POST /api/auth/login/passkey/options',
      'POST /api/auth/login/passkey',
      'POST /api/auth/sso',
      'POST /api/auth/sso/finish',
      'POST /api/auth/sso/code',
      'GET /database-tools/:place',
      'POST /database-tools/:place',
      'GET /',
      'GET /assets/:name',
      'GET /handoff',
      ...pages,
    ])
  })

  test('the second guard holds where Elysia reads another path than the gate', async () => {
    const server = Bun.serve({ port: 0, fetch: (request) => dashboard.app.fetch(request) })
    const text = await raw(server.port ?? 0, 'GET /outside-the/api/servers HTTP/1.1\r\nHost: @')
    await server.stop(true)

    expect(text).toStartWith('HTTP/1.1 401 ')
    expect(text).toEndWith('{"error":"Unauthorized"}')
  })

  test('a path outside the API is 404', async () => {
    const response = await anonymous('GET', 'http://localhost/nothing')

    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'Not found', message: 'Endpoint not found' })
  })
})

test('a change by a browser is accepted from the public address behind a proxy', async () => {
  await using proxied = await makeDashboard({ public_url: 'https://control.example/' })
  const headers = { origin: 'https://control.example', host: '127.0.0.1:3000' }
  const change = { value: 60 }

  const { status } = await proxied.call('PUT', '/api/settings/sync_interval', change, headers)

  expect(status).toBe(200)
})
