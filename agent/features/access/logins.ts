import { z } from 'zod'
import { perHost } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { MAX_LOGINS, SiteLogin } from '#shared/access/site-access.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { loginOf } from './clients.ts'
import { DROP_IN } from './paths.ts'
import { shellAccountOf } from './shell-account.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MAX_AGE_MS = 2 * DAY_MS
/** An entry may arrive in the journal after a later one. */
const OVERLAP_MS = 10 * MINUTE_MS
const ACCEPTED_OR_CLOSED =
  '^(Accepted (publickey|password) for |pam_unix\\(sshd:session\\): session closed for user )'
const TIMEOUT_MS = 20_000
const BY_KEY =
  /^Accepted publickey for (\S+) from (\S+) port \d+ ssh2: \S+ (SHA256:[A-Za-z0-9+/]{43})$/
const CLOSED = /^pam_unix\(sshd:session\): session closed for user (\S+)$/
const BY_PASSWORD = /^Accepted password for (\S+) from (\S+) port \d+ ssh2$/

/** The maximum number of kept entries of a site; a login and its end are two. */
const MAX_ENTRIES = 200
/** The limits of one reading of the journal. */
const MAX_LINES = 10_000
const MAX_BYTES = 128 << 20

const Line = z.object({
  __REALTIME_TIMESTAMP: z.string().regex(/^\d{1,15}$|^\d{16}$/),
  MESSAGE: z.string().max(1000),
  /** The process of sshd that checks the login, and waits for its end. */
  _PID: z.string().regex(/^\d{1,10}$/),
})

/** A message of sshd about an account of a site. */
const Entry = z.object({
  site: z.string(),
  micros: z.int().nonnegative(),
  pid: z.string(),
  text: z.string(),
})
type Entry = z.infer<typeof Entry>

/**
 * Reads the messages of sshd from the journal each minute, and keeps the logins to each site in a
 * file: they stay whatever fills the journal, and however often somebody logs in to another site. A
 * message counts by fields that journald adds itself: no site can write one as a program of root.
 */
export class Logins {
  readonly #host: Host
  #entries: Entry[] | undefined
  /** The content of the file. */
  #saved: string | undefined
  /** The time of the last reading of the journal, by both clocks. */
  #read: { now: number; elapsed: number } | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** The newest logins of the last two days, oldest first. */
  async list(): Promise<SiteLogin[]> {
    const sites = await this.#look()
    // A full disk hides no login.
    await this.#save().catch(() => undefined)
    const domains = new Map(sites.map((site) => [site.user, site]))
    const since = (this.#host.clock.now() - MAX_AGE_MS) * 1000
    const entries = (this.#entries ?? []).filter(({ micros }) => micros >= since)
    const bySite = Map.groupBy(entries, ({ site }) => site)
    const logins = [...bySite].flatMap(([user, own]) => {
      const site = domains.get(user)
      return site
        ? loginsOf(site, own).map((login, at, all) => ({ login, age: all.length - at }))
        : []
    })
    // The newest ones of each site, so that none hides those of another one.
    const newest = new Set(
      logins.toSorted((one, other) => one.age - other.age).slice(0, MAX_LOGINS),
    )
    return logins
      .filter((one) => newest.has(one))
      .map(({ login }) => login)
      .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  }

  async keep(): Promise<void> {
    const elapsed = this.#host.clock.elapsed()
    if (!this.#read || elapsed - this.#read.elapsed >= MINUTE_MS / 2) await this.#look()
    await this.#save()
  }

  #look(): Promise<Site[]> {
    return this.#host.exclusive('logins', () =>
      servicesOf(this.#host).units(() => this.#readNews(), []),
    )
  }

  async #readNews(): Promise<Site[]> {
    const { files, clock } = this.#host
    if (!(await files.stat(DROP_IN))) return []
    const sites = await listSites(this.#host)
    const before = this.#entries ?? (await this.#load())
    const [now, elapsed] = [clock.now(), clock.elapsed()]
    const all = merged(before, await this.#news(sites, now))
    const users = new Set(sites.map(({ user }) => user))
    const since = (now - MAX_AGE_MS) * 1000
    this.#entries = newestOf(all.filter(({ site, micros }) => users.has(site) || micros >= since))
    this.#read = { now, elapsed }
    return sites
  }

  get #path(): string {
    return `${this.#host.settings.state_dir}/logins.json`
  }

  async #load(): Promise<Entry[]> {
    this.#saved = await this.#host.files.read(this.#path, MAX_BYTES)
    return parseJson(z.array(Entry), this.#saved) ?? []
  }

  async #save(): Promise<void> {
    const text = `${JSON.stringify(this.#entries ?? [])}\n`
    if (!this.#entries || text === (this.#saved ?? '[]\n')) return
    await this.#host.files.write(this.#path, text, { mode: 0o600 })
    this.#saved = text
  }

  /** journalctl prints the newest lines first when it has both a pattern and a number of lines. */
  async #news(sites: readonly Site[], now: number): Promise<Entry[]> {
    // The clock may have gone back meanwhile.
    const from = this.#read && (Math.min(this.#read.now, now) - OVERLAP_MS) / 1000
    const since = from === undefined ? '-2days' : `@${from.toFixed(3)}`
    const shape = ['--quiet', '--no-pager', '--output=json', `--lines=${MAX_LINES}`]
    const which = [`--since=${since}`, `--grep=${ACCEPTED_OR_CLOSED}`]
    const fields = `--output-fields=${Object.keys(Line.shape).join(',')}`
    const trusted = ['_UID=0', '_COMM=sshd', '_COMM=sshd-session']
    const argv = ['journalctl', ...shape, ...which, fields, ...trusted]
    // Without a matching line it ends with 1.
    const { stdout } = await this.#host.shell.try(argv, { timeout_ms: TIMEOUT_MS })
    return stdout.split('\n').flatMap((line) => {
      const found = parseJson(Line, line)
      const site = found && siteOf(sites, found.MESSAGE)
      if (!found || !site) return []
      const micros = Number(found.__REALTIME_TIMESTAMP)
      return [{ site: site.user, micros, pid: found._PID, text: found.MESSAGE }]
    })
  }
}

/** Returns the logins of a machine, which readings share with the round that stores them. */
export const loginsOn = perHost((host) => new Logins(host))

/** Returns the site of an account, also of a client account that was removed since. */
function siteOf(sites: readonly Site[], text: string): Site | undefined {
  const [, login] = BY_KEY.exec(text) ?? BY_PASSWORD.exec(text) ?? CLOSED.exec(text) ?? []
  if (login === undefined) return undefined
  const token = tokenOf(login)
  return sites.find(({ user }) =>
    [user, shellAccountOf(user), loginOf(user, token)].includes(login),
  )
}

const tokenOf = (login: string): string => login.split('.').at(-1) ?? ''

function merged(before: readonly Entry[], news: readonly Entry[]): Entry[] {
  const keyOf = ({ micros, pid, text }: Entry) => `${micros} ${pid} ${text}`
  const known = new Map([...before, ...news].map((entry) => [keyOf(entry), entry]))
  return [...known.values()].sort((one, other) => one.micros - other.micros)
}

/** Keeps the last entries of each site, sorted by time. */
function newestOf(entries: readonly Entry[]): Entry[] {
  const kept = new Set(
    [...Map.groupBy(entries, ({ site }) => site).values()].flatMap((own) =>
      own.slice(-MAX_ENTRIES),
    ),
  )
  return entries.filter((entry) => kept.has(entry))
}

/** The logins that the messages of a site report, oldest first. */
function loginsOf(site: Site, entries: readonly Entry[]): SiteLogin[] {
  return entries.flatMap((entry, place) => {
    const ended_at = endOf(entry, entries.slice(place + 1))
    const login = SiteLogin.safeParse({
      ...accountIn(site, entry.text),
      at: timeOf(entry),
      ended_at,
    })
    return login.success ? [login.data] : []
  })
}

function accountIn({ user, domain }: Site, text: string) {
  const [, key, from, fingerprint] = BY_KEY.exec(text) ?? []
  if (key === user || key === shellAccountOf(user))
    return { domain, kind: key === user ? 'sftp' : 'shell', address: from, fingerprint }
  const [, login = '', address] = BY_PASSWORD.exec(text) ?? []
  const client = tokenOf(login)
  if (loginOf(user, client) !== login) return undefined
  return { domain, kind: 'sftp', address, fingerprint: '', client }
}

const timeOf = ({ micros }: Entry): string => new Date(Math.floor(micros / 1000)).toISOString()

/** Finds the time at which the process of a login ended. */
function endOf({ pid }: Entry, later: readonly Entry[]): string | null {
  const next = later.find((one) => one.pid === pid)
  return next && CLOSED.test(next.text) ? timeOf(next) : null
}
