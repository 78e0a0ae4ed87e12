import { createHash } from 'node:crypto'
import { type Change, declared, deferred, inOrder, provided } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { ClientAccount } from '#shared/access/site-clients.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { CLOSED, expire, expiries } from './shadow.ts'
import { withoutManager } from './user-manager.ts'

/** The group of the client accounts, which log in with a password: sshd recognises them by it. */
export const CLIENT_GROUP = 'hosting-client'
const MAX_NAME = 32
const PASSWD = '/etc/passwd'
const SHADOW = '/etc/shadow'
const NO_LOGIN = '/usr/sbin/nologin'
const DAY_MS = 86_400_000
/** A day in the past; shadow(5) gives 0 no meaning. */
const PAST = '1'

/** Names a client account: no site user has a dot in its name; that of a shell ends with `.ssh`. */
export function loginOf(user: string, token: string): string {
  const name = `${user}.${token}`
  if (name.length <= MAX_NAME) return name
  const digest = createHash('sha256').update(user).digest('hex').slice(0, 8)
  return `${user.slice(0, MAX_NAME - 18)}.${digest}.${token}`
}

/** Returns whether the name is that of a present or former client account of the site. */
export const isClientOf = (user: string, login: string): boolean =>
  loginOf(user, login.split('.').at(-1) ?? '') === login

const commentOf = (user: string) => `Client of ${user}`

/** Lists the client accounts of a site on this server, also those that its record does not have. */
export async function clientLoginsOf(host: Host, user: string): Promise<string[]> {
  const all = await entriesOf(host, PASSWD)
  return all.flatMap(([login = '', , , , comment]) => (comment === commentOf(user) ? [login] : []))
}

/** Creates the accounts without their passwords: nobody can log in to a new one yet. */
export const clientAccountsOf = (host: Host, { user, clients = [] }: ClientSite): Change =>
  deferred(async () => {
    const logins = clients.map(({ token }) => loginOf(user, token))
    const found = await clientLoginsOf(host, user)
    const whole: string[] = []
    for (const login of found) if (await isComplete(host, user, login)) whole.push(login)
    const kept = logins.filter((login) => whole.includes(login))
    return inOrder(
      ...(logins.length > 0 ? [withoutManager(host, user)] : []),
      ...found.filter((login) => !kept.includes(login)).map((login) => removeAccount(host, login)),
      ...logins
        .filter((login) => !kept.includes(login))
        .map((login) => createAccount(host, user, login)),
    )
  })

type ClientSite = Pick<Site, 'user' | 'clients'>

/** Sets passwords and expiry: from then on the clients can log in. */
export function clientPasswordsOf(host: Host, { user, clients = [] }: ClientSite): Change {
  const logins = clients.map((client) => ({ ...client, login: loginOf(user, client.token) }))
  return provided(async () => clients.length > 0, {
    effects: () => passwordChanges(host, logins),
    async apply() {
      const days = await expiries(host)
      for (const { login, expires_at } of logins)
        if (days.get(login) !== CLOSED)
          await expire(host, login, dateOf(expires_at, host.clock.now()))
      const lines = logins.map(({ login, password_hash }) => `${login}:${password_hash}\n`)
      await host.shell.run(['chpasswd', '--encrypted'], { input: lines.join('') })
    },
  })
}

async function passwordChanges(
  host: Host,
  logins: readonly (ClientAccount & { login: string })[],
): Promise<Effect[]> {
  const entries = await entriesOf(host, SHADOW)
  return logins.flatMap(({ login, password_hash, expires_at }) => {
    const [, hash, , , , , , day = ''] = entries.find(([name]) => name === login) ?? []
    const expires = day === CLOSED ? day : dateOf(expires_at, host.clock.now())
    return [
      ...(day === expires ? [] : [effects.change('user', login)]),
      ...(hash === password_hash ? [] : [effects.change('password', login)]),
    ]
  })
}

export const withoutClients = (host: Host, user: string): Change =>
  clientAccountsOf(host, { user, clients: [] })

/** Locks or unlocks the passwords of all client accounts. Neither changes their expiry. */
export async function lockClients(host: Host, user: string, locked: boolean): Promise<void> {
  for (const login of await clientLoginsOf(host, user))
    await host.shell.run(['usermod', locked ? '--lock' : '--unlock', '--', login])
}

/** Returns whether the account is as it was set; a temporary lock does not count . */
export async function isClientInPlace(
  host: Host,
  user: string,
  { token, password_hash }: ClientAccount,
): Promise<boolean> {
  const login = loginOf(user, token)
  const entry = await entryOf(host, SHADOW, login)
  return entry?.[1]?.replace(/^!/, '') === password_hash && (await isComplete(host, user, login))
}

/** Closes the accounts now (shadow(5) has days only). Returns whether any was open. */
export async function expireNow(
  host: Host,
  user: string,
  clients: readonly ClientAccount[],
): Promise<boolean> {
  const days = await expiries(host)
  const open = clients
    .map(({ token }) => loginOf(user, token))
    .filter((login) => ![PAST, CLOSED, undefined].includes(days.get(login)))
  for (const login of open) await expire(host, login, PAST)
  return open.length > 0
}

/** Returns the first day without access of each client account; an empty text for none. */
export const clientDates = ({ user, clients = [] }: ClientSite, now: number): Map<string, string> =>
  new Map(clients.map(({ token, expires_at }) => [loginOf(user, token), dateOf(expires_at, now)]))

/** Returns the first day without access, in UTC. */
function dateOf(expires_at: string | null, now: number): string {
  if (expires_at === null) return ''
  const at = Date.parse(expires_at)
  if (at <= now) return PAST
  return new Date(Math.ceil(at / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
}

/** Creates the account with the number of the site's user, so that new files belong to the site. */
const createAccount = (host: Host, user: string, login: string): Change =>
  declared([effects.create('user', login), effects.change('group', CLIENT_GROUP)], async () => {
    const [, , uid = '', gid = ''] = (await entryOf(host, PASSWD, user)) ?? []
    if (uid === '') throw new Error(`${user} is not in ${PASSWD}`)
    const place = ['--non-unique', '--uid', uid, '--gid', gid, '--groups', CLIENT_GROUP]
    const home = ['--no-create-home', '--no-user-group', '--home-dir', homeOf(user)]
    // Its password does not age: a session without a terminal cannot change it.
    const limits = ['--inactive', '-1', '--key', 'PASS_MAX_DAYS=-1']
    const ids = ['--key', 'SUB_UID_COUNT=0', '--key', 'SUB_GID_COUNT=0']
    const more = ['--shell', NO_LOGIN, '--comment', commentOf(user)]
    await host.shell.run(['useradd', ...place, ...home, ...limits, ...ids, ...more, '--', login])
  })

/** Forces the removal: userdel(8) refuses while a process has the same number, such as PHP. */
const removeAccount = (host: Host, login: string): Change =>
  declared([effects.remove('user', login), effects.change('group', CLIENT_GROUP)], () =>
    host.shell.run(['userdel', '--force', '--', login]),
  )

async function isComplete(host: Host, user: string, login: string): Promise<boolean> {
  const [site, client] = [await entryOf(host, PASSWD, user), await entryOf(host, PASSWD, login)]
  const expected = [...(site?.slice(2, 4) ?? []), commentOf(user), homeOf(user), NO_LOGIN]
  if (!site || client?.slice(2).join() !== expected.join()) return false
  const members = (await entryOf(host, '/etc/group', CLIENT_GROUP))?.[3] ?? ''
  return members.split(',').includes(login)
}

const entryOf = async (host: Host, path: string, name: string) =>
  (await entriesOf(host, path)).find(([first]) => first === name)

const entriesOf = async ({ files }: Host, path: string): Promise<string[][]> =>
  ((await files.read(path, 64 << 20)) ?? '').split('\n').map((line) => line.split(':'))
