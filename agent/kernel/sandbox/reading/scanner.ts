import type { Host, Output } from '#agent/kernel/host/ports.ts'
import type {
  Application,
  Scanner,
  SiteReader,
  TenantSite,
} from '#agent/kernel/host/scanner-port.ts'
import { launcherOf, resourceLimits } from '#agent/kernel/sandbox/launcher.ts'
import { readOnlySandboxOf } from '#agent/kernel/sandbox/sandbox.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import type { UnknownUpdates } from '#shared/kernel/inventory.ts'
import { PROGRAM } from './program.ts'

/**
 * Answers about sites by reading files where the result is certain, which is fast; otherwise from
 * the site's own configuration, run with its rights, or unknown with a reason.
 */
export function siteScanner(reader: SiteReader, host: ScannerHost): Scanner {
  const turns = new CpuQueue(host)
  const applications = new AnswerCache<Application>(host)
  const settings = new AnswerCache<ConfigurationReport>(host)
  const query = (site: TenantSite, owner: string, folders: boolean, urgent = true) =>
    turns.take(() => readConfiguration(host, site, { owner, folders }), urgent)

  const application = async (site: TenantSite, owner: string, first: Application) => {
    const result = await query(site, owner, true, false)
    if ('why' in result) return withReason(first, result.why)
    const second = await reader.application(site, result.facts).catch(() => undefined)
    return second ? { ...second.answer, owner: first.owner } : withReason(first, 'config_failed')
  }

  return {
    async inventory(site) {
      const { answer, unsure, owner } = await reader.inventory(site)
      if (!unsure) return answer
      applications.forget(keyOf(site))
      const result = await query(site, owner, true)
      const why = 'why' in result ? result.why : 'config_failed'
      const second =
        'facts' in result && (await reader.inventory(site, result.facts).catch(() => undefined))
      if (second) return second.answer
      return answer && { ...answer, inventory: withReason(answer.inventory, why) }
    },
    async application(site) {
      const { answer, unsure, owner } = await reader.application(site)
      if (!unsure) return answer
      const work = () => application(site, owner, answer)
      const known = await applications.get(keyOf(site), work, turns.remainingWait())
      return known ?? withReason(answer, 'config_pending')
    },
    async database(site) {
      const { answer, unsure, owner } = await reader.database(site)
      if (!unsure) return answer
      const withReport = async (result: ConfigurationReport | undefined) =>
        result && 'facts' in result ? (await reader.database(site, result.facts)).answer : answer
      const known = settings.known(keyOf(site))
      const first = known && (await withReport(known))
      if (first?.state === 'answers') return first
      // The account may have changed.
      settings.forget(keyOf(site))
      return withReport(await settings.get(keyOf(site), () => query(site, owner, false, false)))
    },
    async databasePassword(site) {
      const { answer, unsure, owner } = await reader.databasePassword(site)
      if (!unsure) return answer
      const result = await query(site, owner, false)
      return 'facts' in result
        ? (await reader.databasePassword(site, result.facts)).answer
        : undefined
    },
  }
}

const keyOf = ({ docroot, user = '', domain = '' }: TenantSite) => `${docroot}\n${user}\n${domain}`

/** Adds the reason for unknown values. */
function withReason<T extends Pick<Application, 'updates' | 'unknown_because'>>(
  answer: T,
  why: UnknownUpdates,
): T {
  return Object.values(answer.updates).includes(null) ? { ...answer, unknown_because: why } : answer
}

const MAX_CONCURRENT = 2
const LIST_WAIT_MS = 1500

/** A queue for work that takes CPU: two at a time, the others in their order. */
class CpuQueue {
  readonly #clock: Host['clock']
  readonly #waiting: (() => void)[] = []
  #running = 0
  #since = 0

  constructor({ clock }: Pick<Host, 'clock'>) {
    this.#clock = clock
  }

  /** Waits for a turn; `urgent` work goes first. */
  async take<T>(work: () => Promise<T>, urgent: boolean): Promise<T> {
    if (this.#running === 0) this.#since = this.#clock.elapsed()
    if (this.#running >= MAX_CONCURRENT) {
      await new Promise<void>((go) => (urgent ? this.#waiting.unshift(go) : this.#waiting.push(go)))
    } else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  /** Returns the longest wait, in milliseconds, of a caller that starts waiting now. */
  remainingWait(): number {
    const since = this.#running === 0 ? 0 : this.#clock.elapsed() - this.#since
    return Math.max(LIST_WAIT_MS - since, 0)
  }
}

/** The age up to which an answer is fresh; up to STALE_MS it is returned while it is renewed. */
const FRESH_MS = 300_000
const STALE_MS = 3_600_000
const MAX_ENTRIES = 10_000

interface CacheEntry<T> {
  at: number
  value: T | undefined
  coming: Promise<T> | undefined
}

/** A cache of expensive answers, in memory. */
class AnswerCache<T> {
  readonly #clock: Host['clock']
  readonly #entries = new Map<string, CacheEntry<T>>()

  constructor({ clock }: Pick<Host, 'clock'>) {
    this.#clock = clock
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  /** Returns a cached answer that is fresh enough. */
  known(key: string): T | undefined {
    return this.#young(this.#entries.get(key), FRESH_MS)
  }

  /** Returns the answer; undefined after `wait_ms`, unlimited without it. */
  async get(key: string, work: () => Promise<T>, wait_ms?: number): Promise<T | undefined> {
    const fresh = this.known(key)
    if (fresh !== undefined) return fresh
    const entry = this.#entries.get(key) ?? { at: 0, value: undefined, coming: undefined }
    entry.coming ??= this.#ask(key, entry, work)
    const stale = this.#young(entry, STALE_MS)
    if (stale !== undefined) return stale
    if (wait_ms === undefined) return entry.coming
    return Promise.race([entry.coming, this.#clock.sleep(wait_ms).then(() => undefined)])
  }

  #ask(key: string, entry: CacheEntry<T>, work: () => Promise<T>): Promise<T> {
    this.#entries.set(key, entry)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest)
    const coming = work().finally(() => {
      entry.coming = undefined
    })
    coming.then(
      (value) => Object.assign(entry, { value, at: this.#clock.elapsed() }),
      () => this.forget(key),
    )
    return coming
  }

  #young(entry: CacheEntry<T> | undefined, most_ms: number): T | undefined {
    if (entry?.value === undefined) return undefined
    return this.#clock.elapsed() - entry.at < most_ms ? entry.value : undefined
  }
}

export type ScannerHost = Pick<Host, 'shell' | 'files' | 'clock' | 'random' | 'privileged'>

/** The report of the site's own PHP, or the reason why it is missing. */
type ConfigurationReport = { facts: string } | { why: UnknownUpdates }

const REFUSED = 77
const MISSING = 127
/** The first user id of a person: login.defs(5), UID_MIN. */
const FIRST_UID = 1000
const NOBODY = 65534
const MAX_BYTES = 7 << 20

/** Settings that override those of ini files which run code or print errors. */
const INI = {
  memory_limit: '128M',
  max_execution_time: '5',
  display_errors: '0',
  log_errors: '0',
  auto_prepend_file: '',
  auto_append_file: '',
  open_basedir: '',
}

/**
 * Runs only the configuration of a site, with the rights of the site; with `folders` it also
 * reports plugins and themes. Never throws because of the site.
 */
async function readConfiguration(
  host: ScannerHost,
  site: TenantSite,
  { owner, folders }: { owner: string; folders: boolean },
): Promise<ConfigurationReport> {
  const reader = await readerOf(host, site, owner)
  if (!reader) return { why: 'config_refused' }
  const word = host.random.text(32)
  const { docroot, domain = 'localhost' } = site
  const as_owner = reader.user === owner && !reader.own && site.php_user !== owner
  const input = JSON.stringify({ word, docroot, domain, as_owner, folders })
  const start = host.clock.elapsed()
  const argv = [`/usr/bin/php${site.php ?? ''}`, ...ini(), '-r', PROGRAM]
  const { code, stdout } = await readAsSite(host, reader, argv, input)
  const facts = answerIn(stdout, word)
  if (facts !== undefined) return { facts }
  if (code === MISSING) return { why: 'config_no_php' }
  if (code === REFUSED) return { why: 'config_refused' }
  const late = host.clock.elapsed() - start >= READING_MS - 500
  return { why: late ? 'config_slow' : 'config_failed' }
}

const ini = () => Object.entries(INI).flatMap(([name, value]) => ['-d', `${name}=${value}`])

/**
 * Returns the site's own user, or the user that PHP runs it as, who runs this code anyway, or the
 * owner of the docroot, if nobody else can write its files (see PROGRAM). Never root or a system
 * account.
 */
async function readerOf(
  { files, privileged }: ScannerHost,
  { user, php_user, docroot }: TenantSite,
  owner: string,
): Promise<ReaderRights | undefined> {
  if (!privileged) return undefined
  const name = user ?? (php_user || owner)
  const passwd = (await files.read('/etc/passwd')) ?? ''
  const fields = passwd.split('\n').map((line) => line.split(':'))
  const uid = Number(fields.find(([known]) => known === name)?.[2] ?? 0)
  const ordinary = name === 'www-data' ? uid > 0 : uid >= FIRST_UID && uid !== NOBODY
  return ordinary ? { user: name, own: user !== undefined, docroot } : undefined
}

/** Returns the line with the random word, after which the program ends. */
function answerIn(output: string, word: string): string | undefined {
  const start = output.lastIndexOf(`\n${word} `)
  const end = output.indexOf('\n', start + 1)
  const text = start < 0 || end < 0 ? undefined : output.slice(start + word.length + 2, end)
  return text !== undefined && text.length <= MAX_BYTES ? text : undefined
}

/** The rights of a program: those of a managed site, or of the user of another one. */
interface ReaderRights {
  user: string
  own: boolean
  docroot: string
}

/** The time limit of the program. */
const READING_MS = 5000
const MEMORY = 256
/** The limits that the kernel enforces for its only process, also without control groups. */
const PROCESS_LIMITS = [`LimitDATA=${MEMORY}M`, 'LimitCPU=5', 'LimitCORE=0', 'LimitNOFILE=256']
const LIMITS = [
  `MemoryMax=${MEMORY}M`,
  'MemorySwapMax=0',
  'TasksMax=4',
  'LimitFSIZE=0',
  ...PROCESS_LIMITS,
]
/** The directives that kill it immediately; the program also limits itself. */
const END_DIRECTIVES = ['KillSignal=SIGKILL', 'TimeoutStopSec=1', 'SuccessExitStatus=SIGKILL']

/**
 * Runs a program that reads a site with the rights of the site: like `tryAsSite`, but also for a
 * site that this agent did not create, without write access, network or a second process.
 */
function readAsSite(
  host: Pick<Host, 'shell'>,
  reader: ReaderRights,
  argv: readonly string[],
  input: string,
): Promise<Output> {
  const { user, own } = reader
  const limits = [...resourceLimits(MEMORY, 0), '--cpu=5', '--nofile=256', '--nproc=512']
  const site = {
    user,
    slice: own ? sliceOf(user) : 'system.slice',
    directives: [...readOnlySandboxOf(user, reader), ...LIMITS, ...END_DIRECTIVES],
    launcher: launcherOf({ user, limits, network: false }),
  }
  return host.shell.try(argv, { input, env: { HOME: '/' }, timeout_ms: READING_MS, site })
}
