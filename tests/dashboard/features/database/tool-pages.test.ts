import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { storeFactorRule } from '#dashboard/kernel/auth/factor-rule.queries.ts'
import { grants } from '#dashboard/kernel/db/auth-schema.ts'
import { HOUR_MS } from '#tests/support/dashboard/backup-fleet.ts'
import { PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { withTool } from '#tests/support/dashboard/tool.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(withTool)

const domain = 'shop.example'

const hashOf = (password: string) => {
  const once = createHash('sha1').update(password).digest()
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`
}

test('a cookie for one address opens it, and its password is in no record', async (all) => {
  const { response, url, user, line, cookie } = await all.open()
  const page = await all.visit(`${url}?select=wp_posts`, cookie)

  expect(response.status).toBe(200)
  expect(line).toEndWith(`Max-Age=3600; Path=${url}; HttpOnly; Secure; SameSite=None`)
  expect([page.status, await page.text()]).toEqual([200, '<script>alert(1)</script>'])
  const [request] = all.asked
  expect(all.asked).toEqual([
    {
      ...{ domain, user, method: 'GET', query: 'select=wp_posts', type: '', body: '' },
      password: expect.stringMatching(/^[\w-]{43}$/),
    },
  ])
  const password = String(request?.password)
  expect(all.given).toMatchObject([
    { rights: 'write', minutes: 60, account_hash: hashOf(password) },
  ])
  const operation = (await all.dashboard.call('GET', '/api/operations')).body.operations[0]
  const paths = ['/api/operations', '/api/activity', `/api/operations/${operation.id}`]
  const shown = await Promise.all(paths.map((path) => all.dashboard.call('GET', path)))
  const texts = JSON.stringify([shown, all.dashboard.log])
  expect([texts.includes(password), texts.includes(cookie)]).toEqual([false, false])
  expect(shown[1]?.body.activities[0]).toMatchObject({ type: 'database.tool', domain })
})

test('its pages have an origin of their own, without scripts, whatever the agent answers', async (all) => {
  const { url, cookie } = await all.open()
  all.answer({ status: 200, type: 'text/html', 'set-cookie': 'session=x' }, 'page')

  const { headers } = await all.visit(url, cookie)

  expect(headers.get('content-security-policy')).toBe(
    "sandbox allow-forms allow-downloads; default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
  expect([headers.get('set-cookie'), headers.get('cache-control')]).toEqual([null, 'no-store'])
})

test.each([
  [{ status: 200, type: 'application/javascript' }, 'database.txt'],
  [{ status: 200, type: 'image/svg+xml' }, 'database.txt'],
  [{ status: 200, type: 'text/html', disposition: 'attachment; filename=shop.sql' }, 'shop.sql'],
  [{ status: 200, type: 'text/csv', disposition: 'a; filename=x"\u{20}y' }, 'x'],
])('what is no page is a file: %p', async (all, head, name) => {
  const { url, cookie } = await all.open()
  all.answer(head)

  const { headers } = await all.visit(url, cookie)

  expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    'application/octet-stream',
    `attachment; filename="${name}"`,
  ])
})

test.each([
  ['?db=shop', '?db=shop'],
  ['https://evil.example/?a=1', '?a=1'],
  ['//evil.example', ''],
  ['?a="><b>', '?a=b'],
])('a redirect to %s stays at its address', async (all, location, query) => {
  const { url, cookie } = await all.open()
  all.answer({ status: 302, type: '', location })

  const page = await all.visit(url, cookie)

  expect([page.status, page.headers.get('location')]).toEqual([303, `${url}${query}`])
})

test('a form is passed on with its media type, from an origin that is no site', async (all) => {
  const { url, cookie } = await all.open()
  const type = 'application/x-www-form-urlencoded'
  const headers = { 'content-type': type, origin: 'null', 'sec-fetch-site': 'cross-site' }

  const sent = await all.visit(url, cookie, { method: 'POST', body: 'a=1', headers })
  const other = { ...headers, 'content-type': 'application/json' }
  const refused = await all.visit(url, cookie, { method: 'POST', body: '{}', headers: other })
  const body = 'a'.repeat((512 << 10) + 1)
  const large = await all.visit(url, cookie, { method: 'POST', body, headers })

  expect([sent.status, refused.status, large.status]).toEqual([200, 400, 413])
  expect(all.asked).toMatchObject([{ method: 'POST', type, body: btoa('a=1') }])
})

test('opens for nobody else: no cookie, another one, another address, a logout, its end', async (all) => {
  const [one, two] = [await all.open(), await all.open()]
  const statusOf = async (path: string, cookie?: string) => (await all.visit(path, cookie)).status
  const forged = one.url.replace(/-\d{10}-/, '-9999999999-')

  const strangers = await Promise.all([
    statusOf(one.url),
    statusOf(one.url, two.cookie),
    statusOf(one.url, `${one.cookie.slice(0, -1)}x`),
    statusOf(forged, one.cookie),
    statusOf(`${one.url}0`, one.cookie),
    statusOf('/database-tools/x', one.cookie),
  ])
  const owner = await statusOf(one.url, one.cookie)
  all.forward(HOUR_MS)
  const late = await statusOf(one.url, one.cookie)
  all.forward(-HOUR_MS)
  await all.dashboard.call('POST', '/api/auth/logout')
  const loggedOut = await statusOf(one.url, one.cookie)

  expect(strangers).toEqual([403, 403, 403, 403, 403, 403])
  expect([owner, late, loggedOut]).toEqual([200, 403, 403])
  expect(all.asked).toHaveLength(1)
})

test('ends when the account may no longer see secrets', async (all) => {
  const { url, cookie } = await all.open()
  const { db } = all.dashboard
  expect((await all.visit(url, cookie)).status).toBe(200)

  await db.write((queries) => queries.delete(grants))

  expect((await all.visit(url, cookie)).status).toBe(403)
})

test('ends when the account must set up a second factor first', async (all) => {
  const { url, cookie } = await all.open()
  const { db, deps } = all.dashboard
  const entry = entryOf(deps.clock, { type: 'auth.factor_rule', user_id: 1 })

  await storeFactorRule(db, 'everybody', entry)

  expect((await all.visit(url, cookie)).status).toBe(403)
})

test('its files need the address only, and no other file is asked for', async (all) => {
  const { url } = await all.open()
  all.answer({ status: 200, type: 'text/html' }, 'a{}')

  const file = await all.visit(`${url}?file=default.css&version=5`)
  const none = await all.visit(`${url}?file=functions.js`)
  const stranger = await all.visit('/database-tools/x?file=default.css')

  expect([file.status, none.status, stranger.status]).toEqual([200, 404, 403])
  expect(file.headers.get('content-type')).toBe('text/css; charset=utf-8')
  expect(all.asked).toEqual([{ domain, file: 'default.css' }])
})

test('an agent that ended the user, breaks off or sends something else shows a page', async (all) => {
  const { url, cookie } = await all.open()
  const page = async () => {
    const response = await all.visit(url, cookie)
    return [response.status, /<p>(.*)<\/p>$/.exec(await response.text())?.[1]]
  }
  all.answer({ status: 42 })
  const malformed = await page()
  all.agent.answers.set('/sites/database-tool', () =>
    Response.json({ error: 'Not found', message: '<b>' }, { status: 404 }),
  )
  const ended = await page()
  all.agent.answers.set('/sites/database-tool', () =>
    Response.json({ error: 'Conflict', message: '<b>' }, { status: 409 }),
  )

  expect([malformed, ended, await page()]).toEqual([
    [503, 'The agent sent a malformed page'],
    [403, 'This session has ended. Open Adminer again in the dashboard.'],
    [409, '&#60;b&#62;'],
  ])
})

test('needs the password of the last ten minutes, and an encrypted address', async (all) => {
  all.forward(HOUR_MS / 2)

  const refused = await all.dashboard.call('POST', all.at, { rights: 'read' })
  await all.dashboard.call('POST', '/api/auth/confirm', { password: PASSWORD })
  const bad = await all.dashboard.call('POST', all.at, { rights: 'all' })
  const plain = new Request(`http://panel.example${all.at}`, {
    method: 'POST',
    body: '{"rights":"read"}',
    headers: { cookie: `session=${all.dashboard.token}`, 'content-type': 'application/json' },
  })
  const unencrypted = await all.dashboard.app.handle(plain)

  expect([refused.status, refused.body.code]).toEqual([409, 'confirmation_needed'])
  expect(bad.body.fields).toEqual({ rights: ['Must be read or write'] })
  expect([unencrypted.status, (await unencrypted.json()).message]).toEqual([
    409,
    'Adminer needs an https address of this dashboard',
  ])
  expect(all.given).toEqual([])
})
