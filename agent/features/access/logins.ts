import { z } from 'zod'
import { type AnswerOf, perHost } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { LoginRefusal, MAX_LOGINS, OpenSession, SiteLogin } from '#shared/access/site-access.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { isClientOf, loginOf } from './clients.ts'
import { DROP_IN } from './paths.ts'
import { type LoginProcess, loginProcesses } from './sessions.ts'
import { shellAccountOf } from './shell-account.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const MAX_AGE_MS = 2 * DAY_MS
const TIMEOUT_MS = 20_000

const BY_KEY =
  /^Accepted publickey for (\S+) from (\S+) port \d+ ssh2: \S+ (SHA256:[A-Za-z0-9+/]{43})$/
const CLOSED = /^pam_unix\(sshd:session\): session closed for user (\S+)$/
const BY_PASSWORD = /^Accepted password for (\S+) from (\S+) port \d+ ssh2$/
/** A connection to an account that exists, and that ended before a login. */
const REFUSED =
  /^(?:Connection (?:closed|reset) by|Disconnected from|Disconnecting) authenticating user (\S+) (\S+) port \d+(?::.*)?(?: \[preauth\])?$/
/** A right key or password of an account that is closed; this message has no address. */
const CLOSED_ACCOUNT =
  /^fatal: Access denied for user (\S+) by PAM account configuration(?: \[preauth\])?$/
const PATTERN = [
  'Accepted (publickey|password) for ',
  'pam_unix\\(sshd:session\\): session closed for user ',
  '(Connection (closed|reset) by|Disconnected from|Disconnecting) authenticating user ',
  'fatal: Access denied for user ',
]

/** The maximum number of kept entries of a site; a login and its end are two. */
const MAX_ENTRIES = 200
/** The maximum number of addresses of a site in one hour; all others are counted together. */
const MAX_ADDRESSES = 10
const MAX_BYTES = 128 << 20

const Line = z.object({
  __CURSOR: z.string().regex(/^[\w=;]{1,500}$/),
  __REALTIME_TIMESTAMP: z.string().regex(/^\d{1,15}$|^\d{16}$/),
  /** The message; null for one that is no text, or too long. */
  MESSAGE: z.string().max(1000).nullable().catch(null),
  /** The process of sshd that checks the login, and waits for its end. */
  _PID: z.string().regex(/^\d{1,10}$/),
})
type Line = z.infer<typeof Line>

/** A login to an account of a site, or the end of one. */
const Entry = z.object({
  site: z.string(),
  /** The domain at that time, for a site that was deleted since. */
  domain: z.string().optional(),
  micros: z.int().nonnegative(),
  pid: z.string(),
  text: z.string(),
  /** The number of a login, in the order of reading. */
  seq: z.int().positive().optional(),
  /** The reported time of a login in milliseconds: parallel ones of one key differ in it. */
  at: z.int().nonnegative().optional(),
})
type Entry = z.infer<typeof Entry>

/** The refused attempts of one hour, which has a number when it is over. */
const Refusal = z.object({
  site: z.string(),
  domain: z.string(),
  hour: z.int().nonnegative(),
  address: z.string().nullable(),
  attempts: z.int().positive(),
  seq: z.int().positive().optional(),
})
type Refusal = z.infer<typeof Refusal>

/** The content of the file. */
const State = z.object({
  id: z.string(),
  /** The number of the newest login or refusal. */
  newest: z.int().nonnegative(),
  /** The place in the journal up to which it was read; null: not yet. */
  cursor: Line.shape.__CURSOR.nullable(),
  /** When the journal was read, to the hour: it must reach back to this time after a break. */
  read_at: z.int().nonnegative(),
  /** The hours before this time are over. */
  closed_until: z.int().nonnegative(),
  entries: z.array(Entry),
  refusals: z.array(Refusal),
})
type State = z.infer<typeof State>

/**
 * Reads the messages of sshd from the journal each minute, each of them once, and keeps those about
 * sites in a file: they stay whatever fills the journal, and however often somebody logs in to
 * another site. A message counts by fields that journald adds itself: no site can write one as a
 * program of root.
 */
export class Logins {
  readonly #host: Host
  #state: State | undefined
  /** The text of the file. */
  #saved: string | undefined
  /** When the journal was read last, by a clock that never goes back. */
  #read: number | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** Returns the newest logins and refusals of the last two days, oldest first. */
  async list(): Promise<LoginsAnswer> {
    const sites = await this.#look()
    // A full disk hides no login.
    await this.#save().catch(() => undefined)
    if (!this.#state) return { logins: [], refusals: [], list: null }
    const { id, newest, entries, refusals } = this.#state
    const domains = new Map(sites.map(({ user, domain }) => [user, domain]))
    const since = this.#host.clock.now() - MAX_AGE_MS
    const logins = [...Map.groupBy(entries, ({ site }) => site)].flatMap(([user, own]) => {
      const found = loginsOf(user, own).flatMap(({ entry, ...login }) => {
        const domain = domains.get(user) ?? entry.domain
        const reported = SiteLogin.safeParse({ ...login, domain, seq: entry.seq })
        const isNew = Date.parse(login.ended_at ?? login.at) >= since
        return isNew && reported.success ? [reported.data] : []
      })
      return found.map((login, at, all) => ({ login, age: all.length - at }))
    })
    // The newest ones of each site, so that none hides those of another one.
    const shown = new Set(logins.toSorted((one, other) => one.age - other.age).slice(0, MAX_LOGINS))
    return {
      logins: logins
        .filter((one) => shown.has(one))
        .map(({ login }) => login)
        .sort((one, other) => Date.parse(one.at) - Date.parse(other.at)),
      refusals: refusals.flatMap(({ site, domain, hour, address, attempts, seq }) => {
        if (seq === undefined || hour < since) return []
        const at = new Date(hour).toISOString()
        return [{ domain: domains.get(site) ?? domain, at, address, attempts, seq }]
      }),
      list: { id, newest },
    }
  }

  /** Returns the sessions of a site whose process still lives, oldest first. */
  async listOpen(user: string): Promise<OpenLogin[]> {
    await this.#look()
    const own = (this.#state?.entries ?? []).filter(({ site }) => site === user)
    const last = new Map(own.map((entry) => [entry.pid, entry]))
    const living = new Map((await loginProcesses(this.#host)).map((one) => [one.pid, one]))
    return loginsOf(user, own).flatMap(({ entry, ended_at: _, ...login }) => {
      const process = living.get(Number(entry.pid))
      const isOpen = last.get(entry.pid) === entry && process?.login === login.account
      const id = `${entry.pid}-${entry.micros}`
      const session = OpenSession.safeParse({ ...login, id })
      return isOpen && session.success ? [{ session: session.data, process }] : []
    })
  }

  async keep(): Promise<void> {
    const elapsed = this.#host.clock.elapsed()
    if (this.#read === undefined || elapsed - this.#read >= MINUTE_MS / 2) await this.#look()
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
    const state = this.#state ?? (await this.#load())
    const now = clock.now()
    const lines = await this.#news(state.cursor)
    // The clock may have been ahead.
    const closed_until = Math.min(state.closed_until, startOfHour(now))
    const { entries, refusals } = sorted(lines, sites, { ...state, closed_until })
    const isSame = entries.length === 0 && state.cursor !== null
    const numbered = isSame ? state : withNumbers(merged(state.entries, entries), state.newest)
    const over = Math.max(closed_until, startOfHour(now - MINUTE_MS))
    const ended = endHours(refusals, ({ hour }) => hour < over || hour > now, numbered.newest)
    const users = new Set(sites.map(({ user }) => user))
    const since = (now - MAX_AGE_MS) * 1000
    const isKept = ({ site, micros }: Entry) => users.has(site) || micros >= since
    this.#state = {
      id: state.id,
      newest: ended.newest,
      cursor: lines.at(-1)?.__CURSOR ?? state.cursor,
      read_at: startOfHour(now),
      closed_until: over,
      entries: newestOf(numbered.entries.filter(isKept)),
      refusals: newestRefusals(ended.refusals),
    }
    this.#read = clock.elapsed()
    return sites
  }

  get #path(): string {
    return `${this.#host.settings.state_dir}/logins.json`
  }

  async #load(): Promise<State> {
    this.#saved = await this.#host.files.read(this.#path, MAX_BYTES)
    const state = parseJson(State, this.#saved)
    if (state) {
      const isWhole = state.cursor === null || (await this.#reachesBack(state.read_at))
      return isWhole ? state : { ...state, newest: state.newest + 1 }
    }
    return {
      id: this.#host.random.text(22),
      newest: 0,
      cursor: null,
      read_at: 0,
      closed_until: 0,
      // An earlier version of the agent kept only these.
      entries: parseJson(z.array(Entry), this.#saved) ?? [],
      refusals: [],
    }
  }

  /**
   * Returns whether the journal has a message of root from this time or earlier: else it may have
   * dropped logins while the agent was not running, which a number without an entry reports.
   */
  async #reachesBack(time: number): Promise<boolean> {
    const shape = ['--quiet', '--no-pager', '--output=json', '--output-fields=_PID', '--lines=1']
    const argv = ['journalctl', ...shape, `--until=@${Math.ceil(time / 1000) + 3600}`, '_UID=0']
    const { stdout } = await this.#host.shell.try(argv, { timeout_ms: TIMEOUT_MS })
    return stdout.trim() !== ''
  }

  async #save(): Promise<void> {
    if (!this.#state) return
    const text = `${JSON.stringify(this.#state)}\n`
    if (text === this.#saved) return
    await this.#host.files.write(this.#path, text, { mode: 0o600 })
    this.#saved = text
  }

  /** Reads the messages after a place of the journal, oldest first, as many as one output has. */
  async #news(cursor: string | null): Promise<Line[]> {
    const shape = ['--quiet', '--no-pager', '--output=json']
    const after = cursor === null ? '--since=-2days' : `--after-cursor=${cursor}`
    const fields = `--output-fields=MESSAGE,_PID`
    const trusted = ['_UID=0', '_COMM=sshd', '_COMM=sshd-session']
    const argv = [
      'journalctl',
      ...shape,
      after,
      `--grep=^(${PATTERN.join('|')})`,
      fields,
      ...trusted,
    ]
    // Without a matching line it ends with 1.
    const { stdout } = await this.#host.shell.try(argv, { timeout_ms: TIMEOUT_MS })
    return stdout.split('\n').flatMap((line) => parseJson(Line, line) ?? [])
  }
}

type LoginsAnswer = AnswerOf<'GET /logins'>

/** An open session with the process of root that waits for its end. */
interface OpenLogin {
  session: OpenSession
  process: LoginProcess
}

/** Returns the logins of a machine, which readings share with the round that stores them. */
export const loginsOn = perHost((host) => new Logins(host))

const startOfHour = (ms: number) => ms - (ms % HOUR_MS)

/** Sorts new messages into logins with their ends, and refusals, which are counted. */
function sorted(lines: readonly Line[], sites: readonly Site[], state: State) {
  const entries: Entry[] = []
  const refusals = [...state.refusals]
  const siteOf = accountsOf(sites)
  for (const { MESSAGE: text, __REALTIME_TIMESTAMP, _PID: pid } of lines) {
    if (text === null) continue
    const micros = Number(__REALTIME_TIMESTAMP)
    const [, account] = BY_KEY.exec(text) ?? BY_PASSWORD.exec(text) ?? CLOSED.exec(text) ?? []
    const own = siteOf(account)
    if (own) entries.push({ site: own.user, domain: own.domain, micros, pid, text })
    const [, refused, address = null] = REFUSED.exec(text) ?? CLOSED_ACCOUNT.exec(text) ?? []
    const site = siteOf(refused)
    if (!site) continue
    const hour = Math.max(startOfHour(Math.floor(micros / 1000)), state.closed_until)
    countRefusal(refusals, { site: site.user, domain: site.domain, hour, address })
  }
  return { entries, refusals }
}

/** Counts an attempt in its hour, under its address while the site has room for it. */
function countRefusal(refusals: Refusal[], one: Omit<Refusal, 'attempts' | 'seq'>): void {
  const same = refusals.filter(
    ({ site, hour, seq }) => site === one.site && hour === one.hour && seq === undefined,
  )
  const known = same.find(({ address }) => address === one.address)
  const isFull = same.filter(({ address }) => address !== null).length >= MAX_ADDRESSES
  if (known) known.attempts += 1
  else if (one.address !== null && (isFull || !isAddress(one.address)))
    countRefusal(refusals, { ...one, address: null })
  else refusals.push({ ...one, attempts: 1 })
}

const isAddress = (text: string) => LoginRefusal.shape.address.safeParse(text).success

/** Gives numbers to the refusals of hours that are over, which do not change any more. */
function endHours(refusals: readonly Refusal[], isOver: (one: Refusal) => boolean, newest: number) {
  let last = newest
  const ended = refusals.map((one): Refusal => {
    if (one.seq !== undefined || !isOver(one)) return one
    last += 1
    return { ...one, seq: last }
  })
  return { refusals: ended, newest: last }
}

/** Keeps the hours that are not over, and the newest of the others. */
function newestRefusals(refusals: readonly Refusal[]): Refusal[] {
  const over = refusals.filter(({ seq }) => seq !== undefined)
  const kept = new Set(over.slice(-MAX_LOGINS))
  return refusals.filter((one) => one.seq === undefined || kept.has(one))
}

/** Gives numbers and distinct times to the logins that have none. */
function withNumbers(entries: readonly Entry[], newest: number) {
  let last = newest
  const keyOf = ({ site, text }: Entry, at: number) => {
    const { address, fingerprint } = accountIn(site, text) ?? {}
    return `${site} ${at} ${address} ${fingerprint}`
  }
  const taken = new Set(
    entries.flatMap((entry) => (entry.at === undefined ? [] : [keyOf(entry, entry.at)])),
  )
  const numbered = entries.map((entry): Entry => {
    if (entry.seq !== undefined || !accountIn(entry.site, entry.text)) return entry
    let at = Math.floor(entry.micros / 1000)
    while (taken.has(keyOf(entry, at))) at += 1
    taken.add(keyOf(entry, at))
    last += 1
    return { ...entry, seq: last, at }
  })
  return { entries: numbered, newest: last }
}

/** The length of the part of a user that begins the name of each of its client accounts. */
const SHARED_LENGTH = 14

/** Returns what finds the site of an account, also of a client account that was removed since. */
function accountsOf(sites: readonly Site[]) {
  const known = new Map<string, Site>(
    sites.flatMap((site): [string, Site][] => [
      [site.user, site],
      [shellAccountOf(site.user), site],
    ]),
  )
  return (login = ''): Site | undefined =>
    known.get(login) ??
    sites.find(
      ({ user }) => login.startsWith(user.slice(0, SHARED_LENGTH)) && isClientOf(user, login),
    )
}

const tokenOf = (login: string): string => login.split('.').at(-1) ?? ''

function merged(before: readonly Entry[], news: readonly Entry[]): Entry[] {
  const keyOf = ({ micros, pid, text }: Entry) => `${micros} ${pid} ${text}`
  const known = new Map([...news, ...before].map((entry) => [keyOf(entry), entry]))
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

/** Lists the logins among the entries of a site, oldest first, each with its entry and its end. */
function loginsOf(user: string, entries: readonly Entry[]) {
  return entries.flatMap((entry, place) => {
    const account = accountIn(user, entry.text)
    if (!account) return []
    const end = endOf(entry, entries.slice(place + 1))
    return [{ ...account, at: timeOf(entry), ended_at: end && timeOf(end), entry }]
  })
}

function accountIn(user: string, text: string) {
  const [, key, from = '', fingerprint] = BY_KEY.exec(text) ?? []
  if (isAddress(from) && (key === user || key === shellAccountOf(user)))
    return { account: key, kind: key === user ? 'sftp' : 'shell', address: from, fingerprint }
  const [, login = '', address = ''] = BY_PASSWORD.exec(text) ?? []
  const client = tokenOf(login)
  if (!isAddress(address) || loginOf(user, client) !== login) return undefined
  return { account: login, kind: 'sftp', address, fingerprint: '', client }
}

const timeOf = ({ micros, at }: Entry): string =>
  new Date(at ?? Math.floor(micros / 1000)).toISOString()

/** Finds the message with which the process of a login ended. */
function endOf({ pid }: Entry, later: readonly Entry[]): Entry | null {
  const next = later.find((one) => one.pid === pid)
  return next && CLOSED.test(next.text) ? next : null
}
