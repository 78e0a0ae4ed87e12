import { type FSWatcher, watch } from 'node:fs'
import { chmod, readdir, rename, stat } from 'node:fs/promises'
import net, { type Server } from 'node:net'
import process from 'node:process'
import type { Config } from '#agent/kernel/config.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { logError } from '#agent/kernel/log.ts'
import { type MailPaths, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import type { RetrySchedule } from '#agent/kernel/mail/retry-schedule.ts'
import { accept } from './accept.ts'
import { MailLog } from './log.ts'
import { type SettingFiles, settingFiles } from './setting-files.ts'
import { type QueueDeps, SiteQueue } from './site-queue.ts'
import type { SmtpOptions } from './smtp.ts'
import { StatusFile } from './status-file.ts'
import { MessageStore } from './store.ts'

const LOOK_MS = 500
/** The number of sites that are delivered at the same time. */
const MAX_CONCURRENT = 8
/** The time after SIGTERM: an interrupted transaction may be sent twice. */
const ENDING_MS = 20_000

interface ServedSite {
  queue: SiteQueue
  socket: MailSocket
  setting: string
}

interface ServiceSettings {
  root: string
  schedule: RetrySchedule
  smtp?: SmtpOptions
  /** The maximum milliseconds until a change of a setting is seen; 500 by default. */
  look_ms?: number
  report?: (error: unknown) => void
}

/** `hosting-agent mail`: accepts mail of sites at their sockets, and sends it to their relays. */
export async function mail({ mail_schedule, settings: { mail_dir } }: Config): Promise<void> {
  const running = new MailService({ root: mail_dir, schedule: mail_schedule, report: logError })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void running.stop().finally(() => process.exit(0)))
  }
  await running.look()
  console.log(`listening on unix:${mailPathsIn(mail_dir).sockets}`)
  await running.run()
}

export class MailService {
  readonly #settings: ServiceSettings
  readonly #places: MailPaths
  readonly #files: SettingFiles
  readonly #sites = new Map<string, ServedSite>()
  readonly #working = new Set<Promise<void>>()
  #ending = false

  constructor(settings: ServiceSettings) {
    this.#settings = settings
    this.#places = mailPathsIn(settings.root)
    this.#files = settingFiles(this.#places)
  }

  async run(): Promise<void> {
    const folders = new FolderWatch(this.#places.sockets)
    while (!this.#ending) {
      await this.look().catch(this.#report)
      this.#work()
      await folders.next(this.#settings.look_ms ?? LOOK_MS)
    }
    folders.close()
  }

  /** Accepted mail stays on the disk; the current message completes first. */
  async stop(): Promise<void> {
    this.#ending = true
    for (const { socket } of this.#sites.values()) socket.close()
    const late = new Promise((resolve) => setTimeout(resolve, ENDING_MS))
    await Promise.race([Promise.all(this.#working), late])
  }

  /** Updates the sites and their settings, which root may change. */
  async look(): Promise<void> {
    const users = await this.#users()
    for (const [user, { socket }] of this.#sites) {
      // A folder that was removed and created again between two rounds has no socket.
      if (users.includes(user) && (await socket.exists())) continue
      socket.close()
      this.#sites.delete(user)
    }
    const server = await stampOf(this.#places.server)
    for (const user of users) await this.#lookAt(user, server).catch(this.#report)
  }

  /** Lists the users whose socket is open: the socket of a site in the trash is closed. */
  async #users(): Promise<string[]> {
    const names = await readdir(this.#places.sites).catch(() => [] as string[])
    const folders = await readdir(this.#places.sockets).catch(() => [] as string[])
    return names
      .flatMap((name) => /^([^.].*)\.json$/.exec(name)?.[1] ?? [])
      .filter((user) =>
        folders.some((name) => this.#places.socketFolder(user).endsWith(`/${name}`)),
      )
  }

  async #lookAt(user: string, server: string): Promise<void> {
    const setting = `${server} ${await stampOf(this.#places.site(user))}`
    const site = this.#sites.get(user)
    if (!site) {
      const deps = this.#depsOf(user)
      const queue = await SiteQueue.open(deps)
      const [taken, { log }] = [() => this.#work(), deps]
      const socket = await openSocket(this.#places, user, queue, { now: Date.now, taken, log })
      this.#sites.set(user, { queue, socket, setting })
    } else if (site.setting !== setting) {
      site.setting = setting
      site.queue.retryNow()
    }
  }

  #depsOf(user: string): QueueDeps {
    const { schedule, smtp = {} } = this.#settings
    return {
      user,
      store: new MessageStore(this.#places.queueOf(user)),
      caught: new MessageStore(this.#places.caughtOf(user)),
      settings: this.#files,
      status: new StatusFile(this.#places.statusOf(user)),
      log: new MailLog(this.#places.logOf(user)),
      schedule,
      smtp,
      now: Date.now,
      random: Math.random,
    }
  }

  #work(): void {
    for (const [user, site] of [...this.#sites]) {
      if (this.#ending || this.#working.size >= MAX_CONCURRENT) return
      if (!site.queue.due) continue
      // Moved to the end of the line: other sites have their turn first.
      this.#sites.delete(user)
      this.#sites.set(user, site)
      const work = site.queue.work().catch(this.#report)
      this.#working.add(work)
      void work.finally(() => this.#working.delete(work))
    }
  }

  readonly #report = (error: unknown): void => this.#settings.report?.(error)
}

/** Returns a text that changes with each write of the file. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found ? `${found.mtimeMs} ${found.ino}` : ''
}

/** Watches the names in a folder: a new site gets its socket at once. */
export class FolderWatch {
  readonly #watcher: FSWatcher | undefined
  #changed = false
  #wake = () => {}

  /** A folder that cannot be watched changes unseen: `next` then takes its whole time. */
  constructor(folder: string) {
    this.#watcher = undefinedIfThrows(() => watch(folder))
    this.#watcher?.on('error', () => undefined)
    this.#watcher?.on('change', () => {
      this.#changed = true
      this.#wake()
    })
  }

  /** Resolves at a change since the last call, and after `ms` milliseconds at the latest. */
  async next(ms: number): Promise<void> {
    if (!this.#changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#changed = false
  }

  close(): void {
    this.#watcher?.close()
  }
}

/** The maximum number of connections of one site; more wait in the kernel's queue. */
const MAX_CONNECTIONS = 8
/** The maximum number of messages that are stored at once: each takes memory. */
const MAX_TURNS = 8

interface MailSocket {
  /** Returns whether its file is still the one that this process made. */
  exists(): Promise<boolean>
  close(): void
}

/**
 * Listens for one site. One rename replaces the socket of an earlier process, and the socket stays
 * when this one ends: a site retries at a socket, and takes a missing one for "no relay".
 */
async function openSocket(
  places: MailPaths,
  user: string,
  queue: SiteQueue,
  deps: { now: () => number; taken: () => void; log: MailLog },
): Promise<MailSocket> {
  const path = places.socket(user)
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    void accept(socket, queue, { ...deps, turn: takeTurn }).then(deps.taken)
  })
  server.maxConnections = MAX_CONNECTIONS
  await listen(server, `${path}.new`)
  // Only that site can enter the folder.
  await chmod(`${path}.new`, 0o666)
  await rename(`${path}.new`, path)
  const { ino } = await stat(path)
  return {
    exists: async () => (await stat(path).catch(() => undefined))?.ino === ino,
    close: () => server.close(),
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
}

let takenTurns = 0
const waitingTurns: (() => void)[] = []

async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
  if (takenTurns >= MAX_TURNS) await new Promise<void>((resolve) => waitingTurns.push(resolve))
  takenTurns += 1
  try {
    return await work()
  } finally {
    takenTurns -= 1
    waitingTurns.shift()?.()
  }
}
