import { describe, expect, test } from 'bun:test'
import { EMAIL, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const HSTS = 'strict-transport-security'
const login = { email: EMAIL, password: PASSWORD }
const attributes = (line = '') => line.split('; ').slice(1).sort()

describe('a dashboard whose public address is https', () => {
  const tls = () => makeDashboard({ public_url: 'https://control.example' })

  test('sets Secure cookies of the prefix __Host-, whatever the proxy sends', async () => {
    await using dashboard = await tls()

    const response = await dashboard.send('POST', '/api/auth/login', login)

    const cookies = response.headers.getSetCookie()
    expect(cookies.map((line) => line.split('=')[0])).toEqual(['__Host-session', '__Host-device'])
    expect(cookies.map(attributes)).toEqual([
      ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict', 'Secure'],
      ['HttpOnly', 'Max-Age=31536000', 'Path=/', 'SameSite=Strict', 'Secure'],
    ])
  })

  test('accepts the cookie of that name, and no other', async () => {
    await using dashboard = await tls()
    const { token } = dashboard
    const ask = (cookie: string) =>
      dashboard.call('GET', '/api/auth/me', undefined, { cookie }).then(({ status }) => status)

    expect(await ask(`__Host-session=${token}`)).toBe(200)
    expect(await ask(`session=${token}`)).toBe(401)
    expect(await ask(`__Secure-session=${token}`)).toBe(401)
  })

  test('deletes the cookie under its name with Secure, as browsers require', async () => {
    await using dashboard = await tls()
    const cookie = `__Host-session=${dashboard.token}`

    const response = await dashboard.send('POST', '/api/auth/logout', undefined, { cookie })

    expect(response.headers.getSetCookie()).toEqual([
      '__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    ])
  })

  test.each(['/health', '/', '/api/servers', '/nothing'])('sends HSTS: %s', async (path) => {
    await using dashboard = await tls()

    const { headers } = await dashboard.send('GET', path)

    expect(headers.get(HSTS)).toBe('max-age=31536000')
  })
})

describe.each([undefined, 'http://control.example'])('a dashboard at %s', (public_url) => {
  test('sets plain cookies and sends no HSTS', async () => {
    await using dashboard = await makeDashboard(public_url === undefined ? {} : { public_url })

    const { headers } = await dashboard.send('POST', '/api/auth/login', login)

    expect(headers.getSetCookie().map((line) => line.split('=')[0])).toEqual(['session', 'device'])
    expect(headers.get(HSTS)).toBeNull()
  })
})
