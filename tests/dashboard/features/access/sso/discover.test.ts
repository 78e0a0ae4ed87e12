import { afterAll, beforeAll, expect, test } from 'bun:test'
import { discover } from '#dashboard/features/access/sso/discover.ts'
import { providerFetch } from '#dashboard/features/access/sso/provider-fetch.ts'
import { startForger } from '#tests/support/oidc/forger.ts'
import { startProvider } from '#tests/support/oidc/provider.ts'
import { startSso } from '#tests/support/oidc/sso.ts'

const RULES = { production: false, allow_private: false }
const IN_PRODUCTION = { production: true, allow_private: true }

let forger: Awaited<ReturnType<typeof startForger>>
beforeAll(async () => {
  forger = await startForger()
})
afterAll(() => forger[Symbol.asyncDispose]())

test('a real provider has no problem', async () => {
  await using provider = await startProvider({ redirect_uris: ['https://control.example/sso/a'] })

  const { metadata, problems } = await discover(provider.issuer, RULES)

  expect([metadata?.issuer, problems]).toEqual([provider.issuer, []])
})

const S256 = 'The provider does not support PKCE with the method S256'
test.each<[string, object, string[]]>([
  [
    'another issuer',
    { issuer: 'https://evil.example' },
    [
      'The provider calls itself https://evil.example, not ISSUER: enter the issuer exactly like that',
    ],
  ],
  ['no PKCE with SHA-256', { code_challenge_methods_supported: ['plain'] }, [S256]],
  [
    'no code flow',
    { response_types_supported: ['id_token'] },
    ['The provider does not support the authorization code flow'],
  ],
  [
    'a script in the place of an address',
    { authorization_endpoint: 'javascript:alert(1)' },
    ['The provider names no authorization_endpoint with an https: address'],
  ],
  [
    'an address without TLS',
    { token_endpoint: 'http://login.example.com/token' },
    ['The provider names no token_endpoint with an https: address'],
  ],
  [
    'no keys',
    { jwks_uri: undefined, userinfo_endpoint: 'ftp://login.example.com' },
    [
      'The provider names no jwks_uri with an https: address',
      'The provider names no userinfo_endpoint with an https: address',
    ],
  ],
])('the test of a provider finds %s', async (_, metadata, problems) => {
  forger.forgery = { metadata: metadata as Record<string, unknown> }

  const found = await discover(forger.issuer, RULES)

  const expected = problems.map((text) => text.replace('ISSUER', forger.issuer))
  expect(found).toEqual({ problems: expected })
})

test('a login works without a word about PKCE, and the test says so', async () => {
  forger.forgery = { metadata: { code_challenge_methods_supported: undefined } }

  const { metadata, problems } = await discover(forger.issuer, RULES)

  expect([metadata?.issuer, problems]).toEqual([
    forger.issuer,
    [
      'The provider does not say that it supports PKCE with the method S256: logins use it, and a provider that ignores it protects them less',
    ],
  ])
})

/** A server on loopback with one answer, and what it was asked for. */
function serving(answer: () => Response) {
  const paths: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      paths.push(new URL(url).pathname)
      return answer()
    },
  })
  const issuer = `http://127.0.0.1:${server.port}`
  return { issuer, paths, [Symbol.asyncDispose]: () => server.stop(true) }
}

const PATH = '/.well-known/openid-configuration'

test('a redirect is not followed', async () => {
  await using inside = serving(() => Response.json({}))
  await using server = serving(() => Response.redirect(`${inside.issuer}/secret`, 302))

  const { problems } = await discover(`${server.issuer}/realm`, RULES)

  expect(problems).toEqual([
    `${server.issuer}/realm${PATH} redirects elsewhere: the issuer must be the address that the provider calls itself`,
  ])
  expect(inside.paths).toEqual([])
})

test.each<[string, () => Response, string]>([
  ['a page', () => new Response('<html>'), ' is no discovery document of OpenID Connect'],
  [
    'an error',
    () => new Response('', { status: 404 }),
    ' answered 404: the issuer must be the address that the provider calls itself',
  ],
  [
    'too much',
    () => new Response(' '.repeat((1 << 20) + 1)),
    ' cannot be reached: Its answer is too long',
  ],
])('%s is no discovery document', async (_, answer, problem) => {
  await using server = serving(answer)

  expect(await discover(server.issuer, RULES)).toEqual({
    problems: [`${server.issuer}${PATH}${problem}`],
  })
})

test('in production, no address of this machine is contacted, also by a name', async () => {
  await using server = serving(() => Response.json({}))
  const byName = server.issuer.replace('127.0.0.1', 'localhost')

  const answers = await Promise.all(
    [server.issuer, byName].map((issuer) => discover(issuer, IN_PRODUCTION)),
  )

  const reason = expect.stringMatching(
    /cannot be reached: .*(127\.0\.0\.1|::1) is an address of this machine/,
  )
  expect(answers).toEqual([{ problems: [reason] }, { problems: [reason] }])
  expect(server.paths).toEqual([])
})

test('nothing is sent without TLS but to this machine', async () => {
  const sent = providerFetch(RULES)('http://login.example.com/token', { method: 'POST', body: 'a' })

  await expect(sent).rejects.toThrow('login.example.com is not contacted without TLS')
})

test('a provider is read before it is added, and an owner can test it later', async () => {
  forger.forgery = {}
  await using sso = await startSso(forger)
  forger.forgery = { metadata: { code_challenge_methods_supported: ['plain'] } }
  const tested = await sso.call('POST', '/api/identity-providers/main/test')
  const begun = await sso.visitor().post('/api/auth/sso', { provider: 'main' })

  const added = await sso.call('POST', '/api/identity-providers', {
    ...{ key: 'other', name: 'Other', client_id: 'a', client_secret: 'b' },
    issuer: `${forger.issuer}/`,
  })

  expect(tested).toEqual({ status: 200, body: { problems: [S256] } })
  expect([begun.status, begun.body.message]).toEqual([
    409,
    'Main cannot be used at the moment: an owner of this dashboard can test it in the settings',
  ])
  expect([added.status, added.body.fields.issuer]).toEqual([
    422,
    [
      `The provider calls itself ${forger.issuer}, not ${forger.issuer}/: enter the issuer exactly like that`,
      S256,
    ],
  ])
})
