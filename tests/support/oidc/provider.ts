import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error It has no types, and @types/oidc-provider needs those of Koa, too.
import { Provider as Untyped } from 'oidc-provider'

/** The part of oidc-provider that is used here. */
interface Provider {
  callback(): RequestListener
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
  ): Promise<void>
  Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> }
}
const Provider = Untyped as new (issuer: string, configuration: object) => Provider

/** What a provider knows of somebody, beside the subject. */
export type Person = Readonly<Record<string, unknown>>

interface Options {
  /** The addresses to which it sends people back. */
  redirect_uris: readonly string[]
  /** Whether people log in with its form; else `who` does, without one. */
  forms?: boolean
}

export const CLIENT = { client_id: 'hosting-control', client_secret: 'a-secret-of-the-client' }
const SCOPE = 'openid email profile'

/** A real provider of OpenID Connect on loopback, and the people who can log in to it. */
export class RealProvider implements AsyncDisposable {
  readonly issuer: string
  readonly people = new Map<string, Person>()
  /** Who logs in next. */
  who = 'anna'
  /** What happens before a request of the dashboard for one of these paths is answered. */
  readonly before = new Map<string, () => Promise<unknown>>()
  readonly #close: () => Promise<void>

  constructor(issuer: string, close: () => Promise<void>) {
    this.issuer = issuer
    this.#close = close
  }

  /** Opens the address of a login like a new browser, and returns the query that it comes back with. */
  async authorize(url: string): Promise<string> {
    const jar = new Map<string, string>()
    for (let at = url; ; ) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
      const text = await answer.text()
      for (const line of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/)
        jar.set(name, value)
      }
      const location = answer.headers.get('location')
      if (location === null) throw new Error(`${at} answered ${answer.status}: ${text}`)
      at = new URL(location, at).href
      if (!at.startsWith(this.issuer)) return new URL(at).search
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }
}

export async function startProvider({ redirect_uris, forms = false }: Options) {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const real = new RealProvider(`http://127.0.0.1:${port}`, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const provider = new Provider(real.issuer, {
    clients: [
      {
        ...CLIENT,
        redirect_uris: [...redirect_uris],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [await signingKey()] },
    cookies: { keys: ['a key for tests'] },
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 60 },
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups'],
    },
    features: { devInteractions: { enabled: forms } },
    ...(!forms && {
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/in/${uid}` },
    }),
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...real.people.get(id) }),
    }),
    loadExistingGrant: async ({ oidc }: { oidc: GrantContext }) => {
      const { provider, client, session } = oidc
      const of = { clientId: client.clientId, accountId: session.accountId }
      const grant = new provider.Grant(of)
      grant.addOIDCScope(SCOPE)
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  server.on('request', async (request, response) => {
    await real.before.get(request.url ?? '')?.()
    if (!request.url?.startsWith('/in/')) return answer(request, response)
    const result = { login: { accountId: real.who } }
    return provider.interactionFinished(request, response, result)
  })
  return real
}

interface GrantContext {
  provider: Provider
  client: { clientId: string }
  session: { accountId: string }
}

async function signingKey() {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', pair.privateKey)
  return { kty, crv, x, y, d, use: 'sig', alg: 'ES256', kid: 'one' }
}
