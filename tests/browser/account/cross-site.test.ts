// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { there, useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

let attacker: ReturnType<typeof Bun.serve> | undefined
beforeAll(() => {
  const page = '<!doctype html><title>Attacker</title><h1>You have won</h1>'
  const headers = { 'content-type': 'text/html' }
  attacker = Bun.serve({ port: 0, fetch: () => new Response(page, { headers }) })
})
afterAll(() => attacker?.stop(true))

/** What the owner can lose: the records that the calls of the attacker would change. */
async function records() {
  const lists = ['people', 'servers', 'service-accounts', 'settings', 'auth/tokens', 'activity']
  const answers = await Promise.all(lists.map((path) => dashboard.client().get(`/api/${path}`)))
  return answers.map(({ body }) => body)
}

/** The calls, each with a body that its own page would send. */
const CALLS = [
  ['/api/people', '{"name":"Mallory"}'],
  ['/api/servers', '{"hostname":"evil.example"}'],
  ['/api/service-accounts', '{"name":"evil","role":"owner"}'],
  ['/api/auth/login', '{"email":"mallory@evil.example","password":"for the session of others"}'],
  ['/api/auth/logout', ''],
  ['/api/auth/logout-everywhere', ''],
  ['/api/keys/rotate', ''],
] as const

/** Runs in a page: sends all that a page can send without a person, and returns what it was able to read. */
async function attack({ own, calls }: { own: string; calls: typeof CALLS }) {
  const read: string[] = []
  const note = (what: string) => read.push(what)
  const request = (what: string, path: string, init: RequestInit) =>
    fetch(own + path, { credentials: 'include', ...init }).then(
      ({ type, status }) => type !== 'opaque' && note(`${what} ${path}: ${status}`),
      () => undefined,
    )
  const json = { 'content-type': 'application/json' }
  for (const [path, body] of calls) {
    await request('a request', path, { method: 'POST', body, headers: json })
    await request('a request of text', path, { method: 'POST', body, mode: 'no-cors' })
    await request('an empty request', path, { method: 'POST', mode: 'no-cors' })
    navigator.sendBeacon(own + path, body)
  }
  await request('a change', '/api/settings/sync_interval', {
    method: 'PUT',
    body: '{"value":7}',
    headers: json,
  })
  await request('a removal', '/api/people/1', { method: 'DELETE' })
  for (const path of ['/api/auth/me', '/api/activity/export', '/api/fleet'])
    await request('a reading', path, {})

  const framed = async (name: string, show: (frame: HTMLIFrameElement) => void) => {
    const frame = document.createElement('iframe')
    frame.name = name
    const loaded = new Promise((done) => frame.addEventListener('load', done))
    document.body.append(frame)
    show(frame)
    await Promise.race([loaded, new Promise((done) => setTimeout(done, 2_000))])
    try {
      const text = frame.contentDocument?.body?.textContent
      if (text) note(`the frame ${name}: ${text}`)
    } catch {}
  }
  for (const [path, body] of calls)
    for (const enctype of ['text/plain', 'multipart/form-data']) {
      const name = `${enctype} ${path}`
      await framed(name, () => {
        const form = document.createElement('form')
        Object.assign(form, { method: 'post', action: own + path, enctype, target: name })
        // As text, the name and the value are one JSON object around the character between them.
        const input = document.createElement('input')
        input.name = body === '' ? '{"a":"' : `${body.slice(0, -1)},"a":"`
        input.value = '"}'
        form.append(input)
        document.body.append(form)
        form.submit()
      })
    }
  await framed('the dashboard', (frame) => {
    frame.src = `${own}/people`
  })

  const listen = (what: string, source: EventTarget) =>
    new Promise<void>((done) => {
      source.addEventListener('open', () => done(void note(`${what} is open`)))
      source.addEventListener('message', () => note(`${what} has a message`))
      source.addEventListener('error', () => done())
    })
  await listen('a stream', new EventSource(`${own}/api/fleet/events`, { withCredentials: true }))
  await listen('a socket', new WebSocket(`${own.replace('http', 'ws')}/api/fleet/events`))
  return read
}

/** Another site, whose requests have no cookie, and a neighbour of the same site, whose requests have it. */
test.each(['localhost', '127.0.0.1'])(
  'a page of another origin at %s neither changes nor reads anything, however it asks',
  async (host) => {
    const { page } = await open('/login', { signedIn: false })
    await signIn(page)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const own = dashboard.running().url
    const before = await records()
    const evil = await page.context().newPage()
    const accepted: string[] = []
    const asked: string[] = []
    evil.on('response', (response) => {
      const { pathname, origin } = new URL(response.url())
      const method = response.request().method()
      if (origin !== own || method === 'GET') return
      asked.push(pathname)
      if (![401, 403, 404, 415].includes(response.status()) && method !== 'OPTIONS')
        accepted.push(`${method} ${pathname}: ${response.status()}`)
    })
    await evil.goto(`http://${host}:${there(attacker).port}/`)

    const read = await evil.evaluate(attack, { own, calls: CALLS })

    expect({ read, accepted, records: await records() }).toEqual({
      read: [],
      accepted: [],
      records: before,
    })
    expect(CALLS.filter(([path]) => !asked.includes(path))).toEqual([])
    // The cookie of the session is still valid, and its own page changes what it wants to.
    const status = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ name: 'Anna' })
      const made = await fetch('/api/people', { method: 'POST', body, headers })
      const { person } = await made.json()
      const removed = await fetch(`/api/people/${person.id}`, { method: 'DELETE', headers })
      return [made.status, removed.status]
    })
    expect(status).toEqual([201, 204])
    const cookies = await page.context().cookies(own)
    expect(
      cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite })),
    ).toContainEqual({ name: 'session', httpOnly: true, sameSite: 'Strict' })
  },
)
