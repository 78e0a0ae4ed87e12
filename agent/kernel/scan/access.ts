import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs'
import { type Connection, createConnection } from 'mariadb'
import { withIdentifiers } from '#agent/kernel/host/identifiers.ts'
import { kindOf, statOf } from '#agent/kernel/host/real/file-kind.ts'
import type { ScanLimit } from '#agent/kernel/host/scanner-port.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { withTimeout } from '#agent/kernel/host/with-timeout.ts'
import type { ScanAccess } from './answer.ts'
import { identityOf, ownerName, switchIdentity, switchToNobody } from './identity.ts'
import type { SiteTree } from './site-tree.ts'
import type { OptionsQuery } from './wp-options.ts'

/** Accesses this machine from a process that may change its user, and is nobody between scans. */
export function machineAccess(socket: string): ScanAccess {
  return {
    socket,
    owner: ownerName,
    read(site, work) {
      const identity = identityOf(site)
      switchIdentity(identity)
      try {
        const budget = new ScanBudget(SCAN_LIMITS, () => performance.now())
        const value = work((root) => siteTree(root, budget))
        return { value, limit: budget.reached }
      } finally {
        switchToNobody()
      }
    },
    query: (statement) => query(socket, statement),
  }
}

/** The time limit of all queries of one site, from the connection to the last row. */
const ANSWER_MS = 1800
const CONNECT_MS = 1000
/** The time after a failed connection in which no other site uses the server. */
const REST_MS = 5000

type QueryRow = Record<string, unknown>

/** The state of the only server, which no site can choose. */
const databaseAway = { until: 0, error: new Error('the database does not answer') }

/**
 * Runs the only SELECT of a scan with the given account on the local socket, and disconnects. A
 * server that does not answer is tried again later: it delays one site, not each.
 */
async function query(socket: string, statement: OptionsQuery): Promise<readonly QueryRow[]> {
  if (performance.now() < databaseAway.until) throw databaseAway.error
  const end = performance.now() + ANSWER_MS
  const connection = await connect(socket, statement)
  try {
    const { sql, values } = withIdentifiers(statement.sql, statement.values, (name) =>
      connection.escapeId(name),
    )
    const left_ms = Math.max(end - performance.now(), 0)
    const answer = connection.query(sql, values)
    const rows = await withTimeout(left_ms, answer, () => new Error('no answer in time'))
    // The server would otherwise write a warning to its log.
    void connection.end().catch(() => connection.destroy())
    return Array.isArray(rows) ? rows : []
  } catch (error) {
    connection.destroy()
    throw error
  }
}

async function connect(socket: string, { user, password }: OptionsQuery): Promise<Connection> {
  const options = {
    socketPath: socket,
    user,
    password,
    connectTimeout: CONNECT_MS,
    // A server could otherwise request any file that this process can read.
    permitLocalInfile: false,
    multipleStatements: false,
    charset: 'utf8mb4',
  }
  const start = performance.now()
  try {
    const connection = await createConnection(options)
    connection.on('error', () => undefined)
    return connection
  } catch (error) {
    // An immediate refusal delays no site.
    if (performance.now() - start >= CONNECT_MS) {
      databaseAway.until = performance.now() + REST_MS
      databaseAway.error = error instanceof Error ? error : databaseAway.error
    }
    throw error
  }
}

/** The flags of open(2) for a reference to a path, which works for unreadable folders too. */
const O_PATH = 0o10000000
const ROOT_FLAGS = O_PATH | constants.O_DIRECTORY
const FOLDER_FLAGS = ROOT_FLAGS | constants.O_NOFOLLOW
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const MAX_OPEN = 64
/** The maximum size of a folder, which is read as a whole: about 50,000 entries. */
const MAX_FOLDER_BYTES = 2 << 20

/**
 * Opens each component below the descriptor of the previous one: renames and links that a site's
 * user makes meanwhile cannot lead outside (CWE-363). Folders stay open until the synchronous work
 * ends: otherwise most of a scan's time would go into reopening the same four.
 */
export function siteTree(root: string, budget: ScanBudget): SiteTree {
  const open = new Map<string, number>()
  const close = () => {
    for (const folder of open.values()) closeSync(folder)
    open.clear()
  }
  const folderAt = (path: string): number => {
    const known = open.get(path)
    if (known !== undefined) return known
    if (open.size >= MAX_OPEN) close()
    if (open.size === 0) queueMicrotask(close)
    const folder =
      path === '' ? openSync(root, ROOT_FLAGS) : openSync(below(path, folderAt), FOLDER_FLAGS)
    open.set(path, folder)
    return folder
  }
  const read = <T>(work: () => T) => (budget.goesOn() ? undefinedIfThrows(work) : undefined)
  return {
    head: (path, most) => read(() => readHead(below(clean(path), folderAt), most, budget)),
    list: (path) => read(() => entriesOf(folderAt(clean(path)), budget)),
    stat: (path) => read(() => statOf(lstatSync(below(clean(path), folderAt)))),
    where: () => read(() => readlinkSync(`/proc/self/fd/${folderAt('')}`)),
  }
}

/** Returns the last component as a path relative to its folder's descriptor. */
function below(path: string, folderAt: (path: string) => number): string {
  const slash = path.lastIndexOf('/')
  const name = path.slice(slash + 1)
  if (name === '..' || name.includes('\0')) throw new Error('refused')
  return `/proc/self/fd/${folderAt(slash < 0 ? '' : path.slice(0, slash))}/${name}`
}

function clean(path: string): string {
  return path.replace(/\/{2,}/g, '/').replace(/^\/|\/$/g, '')
}

function entriesOf(folder: number, budget: ScanBudget) {
  if (fstatSync(folder).size > MAX_FOLDER_BYTES) {
    budget.take('entries', Infinity)
    return []
  }
  const entries = readdirSync(`/proc/self/fd/${folder}`, { withFileTypes: true })
  const granted = budget.take('entries', entries.length)
  return entries.slice(0, granted).map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
}

function readHead(path: string, most: number, budget: ScanBudget): string | undefined {
  const file = openSync(path, FILE_FLAGS)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) return undefined
    const size = Math.min(most, found.size)
    if (budget.take('bytes', size) < size) return undefined
    const buffer = Buffer.allocUnsafe(size)
    const length = readSync(file, buffer, 0, size, 0)
    return buffer.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

export interface ScanLimits {
  entries: number
  bytes: number
  ms: number
}

/** The limits of a scan, about ten times the needs of a WordPress with 500 plugins. */
export const SCAN_LIMITS: ScanLimits = { entries: 50_000, bytes: 64 << 20, ms: 1000 }

/** The remaining budget of a scan. Once a limit is reached, nothing more is granted. */
export class ScanBudget {
  #left: { entries: number; bytes: number }
  readonly #end: number
  readonly #elapsed: () => number
  #reached: ScanLimit = null

  constructor(limits: ScanLimits, elapsed: () => number) {
    this.#left = { entries: limits.entries, bytes: limits.bytes }
    this.#elapsed = elapsed
    this.#end = elapsed() + limits.ms
  }

  /** Returns the first limit that was reached. */
  get reached(): ScanLimit {
    return this.#reached
  }

  /** Returns whether the scan may continue. */
  goesOn(): boolean {
    if (this.#reached === null && this.#elapsed() >= this.#end) this.#reached = 'time'
    return this.#reached === null
  }

  /** Takes up to `amount`; returns what is granted. */
  take(kind: 'entries' | 'bytes', amount: number): number {
    const granted = Math.min(amount, this.#left[kind])
    this.#left[kind] -= granted
    if (granted < amount) this.#reached ??= kind
    return granted
  }
}
