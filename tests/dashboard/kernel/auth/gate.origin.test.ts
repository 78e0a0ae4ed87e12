import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ROUTES } from '#dashboard/routes.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await makeDashboard()
})
afterAll(() => dashboard[Symbol.asyncDispose]())

const JSON_TYPE = { 'content-type': 'application/json' }
/** What a browser sends with the script of one of our pages. */
const SCRIPT = {
  origin: 'http://localhost',
  host: 'localhost',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
}
/** The same with a form of one of our pages. */
const FORM = {
  ...SCRIPT,
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
  'content-type': 'application/x-www-form-urlencoded',
}
const NAVIGATION = 'A link or a form cannot change anything'
const FOREIGN = 'The request comes from another site'
const NOT_JSON = 'A change by a browser must have the content type application/json'

const changes = ROUTES.filter(({ at }) => !at.startsWith('GET ')).map(({ at }) => at)

async function answerTo(at: string, headers: Record<string, string>) {
  const [method = '', path = ''] = at.split(' ')
  // Ids that do not exist: a call that is allowed finds nothing to change.
  const { status, body } = await dashboard.call(
    method,
    path.replace(/:\w+/g, '999'),
    undefined,
    headers,
  )
  return status === 403 ? body.message : 'passed'
}

describe('with the cookie of a session', () => {
  test('no call changes anything by a form of one of our pages', async () => {
    const answers = await Promise.all(changes.map((at) => answerTo(at, FORM)))

    expect(answers).toEqual(changes.map(() => NAVIGATION))
  })

  test('no call changes anything without the content type, if a browser sends it', async () => {
    const answers = await Promise.all(changes.map((at) => answerTo(at, SCRIPT)))

    expect(answers).toEqual(changes.map(() => NOT_JSON))
  })

  test.each<[string, Record<string, string>, string]>([
    ['a script of our pages', { ...SCRIPT, ...JSON_TYPE }, 'passed'],
    ['its parameters', { ...SCRIPT, 'content-type': 'application/json; charset=utf-8' }, 'passed'],
    [
      'the mode of the same origin',
      { ...SCRIPT, ...JSON_TYPE, 'sec-fetch-mode': 'same-origin' },
      'passed',
    ],
    [
      'a browser of an unencrypted page',
      { origin: 'http://localhost', host: 'localhost', ...JSON_TYPE },
      'passed',
    ],
    ['a program without a type', {}, 'passed'],
    ['a program that has a mode', { 'sec-fetch-mode': 'cors' }, 'passed'],
    ['a form that claims to be JSON', { ...FORM, ...JSON_TYPE }, NAVIGATION],
    ['a navigation without an origin', { 'sec-fetch-mode': 'navigate' }, NAVIGATION],
    ['a beacon or an image', { ...SCRIPT, ...JSON_TYPE, 'sec-fetch-mode': 'no-cors' }, NAVIGATION],
    ['an unknown mode', { ...SCRIPT, ...JSON_TYPE, 'sec-fetch-mode': 'new' }, NAVIGATION],
    ['a frame', { ...SCRIPT, ...JSON_TYPE, 'sec-fetch-dest': 'iframe' }, NAVIGATION],
    ['a plain text', { ...SCRIPT, 'content-type': 'text/plain' }, NOT_JSON],
    ['a type that begins like JSON', { ...SCRIPT, 'content-type': 'application/jsonp' }, NOT_JSON],
    ['a form of an unencrypted page', { origin: 'http://localhost', host: 'localhost' }, NOT_JSON],
    ['a typed address', { ...SCRIPT, ...JSON_TYPE, 'sec-fetch-site': 'none' }, FOREIGN],
    ...['cross-site', 'same-site'].map((site): [string, Record<string, string>, string] => [
      `a page that is ${site}`,
      { ...SCRIPT, ...JSON_TYPE, 'sec-fetch-site': site },
      FOREIGN,
    ]),
    ...[
      'https://evil.example',
      'http://localhost:1',
      'http://localhost.evil.example',
      'null',
      '',
    ].map((origin): [string, Record<string, string>, string] => [
      `the origin ${JSON.stringify(origin)}`,
      { host: 'localhost', ...JSON_TYPE, origin },
      FOREIGN,
    ]),
  ])('%s', async (_, headers, expected) => {
    expect(await answerTo('POST /api/keys/rotate/nowhere', headers)).toBe(expected)
    expect(await answerTo('DELETE /api/servers/:server_id', headers)).toBe(expected)
  })
})

test('another site neither logs in over a session nor is asked for its JSON or its path', async () => {
  const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' }
  const answers = ['/api/auth/login', '/api/nowhere'].map((path) =>
    dashboard.call('POST', path, '{', headers),
  )

  const refused = { status: 403, body: { error: 'Forbidden', message: FOREIGN } }
  expect(await Promise.all(answers)).toEqual([refused, refused])
})

test('another site reads without its answer, and a token, which no browser sends by itself, passes', async () => {
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const read = await dashboard.send('GET', '/api/servers', undefined, headers)
  const made = { name: 'a script', password: PASSWORD, scope: 'admin' }
  const { body } = await dashboard.call('POST', '/api/auth/tokens', made)
  const bearer = { cookie: '', authorization: `Bearer ${body.plaintext}` }

  const changed = await dashboard.call('POST', '/api/servers', {}, { ...headers, ...bearer })

  expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, null])
  expect(changed.status).toBe(422)
})

test('a form reads what a link reads', async () => {
  const headers = { ...FORM, 'content-type': '' }

  expect((await dashboard.call('GET', '/api/servers', undefined, headers)).status).toBe(200)
})
