import { type Accounts, startAccounts } from '#tests/support/dashboard/accounts.ts'
import { CLIENT } from './provider.ts'

export const WEB = 'https://control.example'
/** The redirect address of a provider with this key. */
export const redirectOf = (key: string) => `${WEB}/sso/${key}`

const unauthorized = (message: string) => ({ error: 'Unauthorized', message })
export const NOT_BEGUN = unauthorized(
  'This login was not begun in this browser, was used before or has expired: begin it again',
)
export const AGAIN = unauthorized('The login could not be verified: begin it again')
export const NO_ACCOUNT = unauthorized(
  'No account of this dashboard is linked with this login: ask an owner for an invitation, or log in with your password and link it on the page Account',
)

type Cookies = Readonly<Record<string, string>>

interface Authorizes {
  issuer: string
  authorize(url: string): string | Promise<string>
}

/** A browser that keeps the cookies of the dashboard, and comes back from a provider. */
export class Visitor {
  readonly accounts: Accounts
  cookies: Cookies

  constructor(accounts: Accounts, cookies: Cookies = {}) {
    this.accounts = accounts
    this.cookies = cookies
  }

  get = (path: string) => this.#send('GET', path)

  post = (path: string, body: object, headers: Record<string, string> = {}) =>
    this.#send('POST', path, body, headers)

  async #send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const cookie = Object.entries(this.cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const sent = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0', ...headers, cookie }
    const answer = await this.accounts.dashboard.send(method, path, body, sent)
    const pairs = answer.headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('='))
    const set = Object.fromEntries(pairs.map(([name = '', ...rest]) => [name, rest.join('=')]))
    this.cookies = { ...this.cookies, ...set }
    const text = await answer.text()
    const lines = answer.headers.getSetCookie()
    return { status: answer.status, body: text === '' ? '' : JSON.parse(text), lines }
  }

  /** The address of the provider at which a login begins. */
  async begin(provider: string, more: object = {}, headers = {}): Promise<string> {
    const { status, body } = await this.post('/api/auth/sso', { provider, ...more }, headers)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.url
  }

  finish(provider: string, query: string, headers = {}) {
    return this.post('/api/auth/sso/finish', { provider, query }, headers)
  }

  /** A whole login. */
  async logIn(at: Authorizes, more: object = {}, key = 'main') {
    const url = await this.begin(key, more)
    return this.finish(key, await at.authorize(url))
  }

  /** Links whoever logs in at the provider with the account of this browser. */
  async link(at: Authorizes, key = 'main') {
    const { status, body } = await this.post('/api/auth/identities', { provider: key })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return this.finish(key, await at.authorize(body.url))
  }
}

type Options = Parameters<typeof startAccounts>[0] & {
  /** Whether the dashboard knows its address. */
  has_url?: boolean
}

/** A dashboard with accounts, and a provider with the key `main`. */
export async function startSso(
  { issuer }: Pick<Authorizes, 'issuer'>,
  more: object = {},
  { has_url = true, ...options }: Options = {},
) {
  const accounts = await startAccounts({ ...(has_url && { public_url: WEB }), ...options })
  await addProvider(accounts, { issuer, ...more })
  return Object.assign(accounts, {
    /** A browser, by default without a cookie. */
    visitor: (cookies?: Cookies) => new Visitor(accounts, cookies),
    /** The browser of the first owner. */
    owner: () => new Visitor(accounts, { '__Host-session': accounts.dashboard.token }),
  })
}

export async function addProvider(accounts: Accounts, more: object): Promise<void> {
  const body = { key: 'main', name: 'Main', ...CLIENT, ...more }
  const added = await accounts.call('POST', '/api/identity-providers', body)
  if (added.status !== 201) throw new Error(JSON.stringify(added.body))
}

/** What the activity says of logins and accounts, newest first. */
export async function activityOf(accounts: Accounts, limit = 1) {
  const { body } = await accounts.call('GET', `/api/fleet/activity?limit=${limit}`)
  return body.activities.map((entry: Record<string, unknown>) =>
    ['type', 'status', 'actor', 'detail'].map((name) => entry[name]),
  )
}
