import { z } from 'zod'
import { OperationId } from '#shared/agent.ts'
import { type CommandName, isCommandName } from '#shared/commands.ts'
import { isTerminal, StoredEvent } from '#shared/sse.ts'
import type { Files } from '../host/ports.ts'

const Request = z.object({
  id: OperationId,
  command: z.custom<CommandName>((value) => typeof value === 'string' && isCommandName(value)),
  params: z.unknown(),
  fingerprint: z.string(),
  created_at: z.number(),
})
/** What an operation was asked to do. `fingerprint` is the digest of command and params. */
export type Request = z.infer<typeof Request>

/** That an operation was cancelled: alone in its folder, where the agent did not know it. */
const Cancelled = z.object({ at: z.number() })

const JournalEntry = z.object({
  step: z.string(),
  state: z.enum(['intent', 'done', 'undone']),
})
export type JournalEntry = z.infer<typeof JournalEntry>

const MAX_FILE = 64 << 20

/**
 * `<state>/operations/<id>/`: request.json, journal.ndjson and events.ndjson. Lines are only ever
 * appended, so that a cut can spoil nothing but the last one, which is then left out.
 */
export class OperationStore {
  readonly #files: Files
  readonly #root: string
  /** Files whose last line may be a part of one: a disk that was full took no more of it. */
  readonly #torn = new Set<string>()

  constructor(files: Files, state_dir: string) {
    this.#files = files
    this.#root = `${state_dir}/operations`
  }

  async create(request: Request): Promise<void> {
    await this.#provide(request.id)
    for (const name of ['events', 'journal']) await this.#append(request.id, name, '', false)
    await this.#write(request.id, 'request', request)
  }

  async ids(): Promise<string[]> {
    const entries = await this.#files.list(this.#root)
    return entries.filter(({ kind }) => kind === 'directory').map(({ name }) => name)
  }

  async request(id: string): Promise<Request | undefined> {
    const text = await this.#files.read(`${this.#root}/${id}/request.json`, MAX_FILE)
    return text === undefined ? undefined : Request.safeParse(parsed(text)).data
  }

  /** From now on an operation of this id is only ever cancelled, also one that has not come yet. */
  async cancel(id: string, at: number): Promise<void> {
    await this.#write(id, 'cancelled', { at })
  }

  /** When it was cancelled, if it was. */
  async cancelledAt(id: string): Promise<number | undefined> {
    const text = await this.#files.read(`${this.#root}/${id}/cancelled.json`)
    return text === undefined ? undefined : Cancelled.safeParse(parsed(text)).data?.at
  }

  /**
   * On the disk when this returns, a log line too: a dashboard keeps what it was told, and a loss of
   * power must not have the agent tell another story under the same numbers.
   */
  async addEvent(id: string, event: StoredEvent): Promise<void> {
    await this.#append(id, 'events', lineOf(event), true)
    if (isTerminal(event)) await this.markEnded(id)
  }

  /** All of them anew, for a file that lacks some. */
  async replaceEvents(id: string, events: readonly StoredEvent[]): Promise<void> {
    await this.#replace(id, 'events', events)
    if (events.some(isTerminal)) await this.markEnded(id)
  }

  /** It is on the disk when this returns. */
  async addEntry(id: string, entry: JournalEntry): Promise<void> {
    await this.#append(id, 'journal', lineOf(entry), true)
  }

  /** Spares the next start reading the events; a mark that is lost is no harm. */
  async markEnded(id: string): Promise<void> {
    await this.#append(id, 'ended', '', false).catch(() => undefined)
  }

  /** The operations that have no end, and those of which it is not known. */
  async unended(): Promise<string[]> {
    const ids = await this.ids()
    const marks = await Promise.all(ids.map((id) => this.#files.stat(this.#path(id, 'ended'))))
    return ids.filter((_, index) => !marks[index])
  }

  /** Takes away what a cut left of a last line, so that the next one stands by itself. */
  async mend(id: string): Promise<void> {
    const kept = { events: await this.events(id), journal: await this.journal(id) }
    for (const [name, entries] of Object.entries(kept)) {
      const text = (await this.#files.read(this.#path(id, name), MAX_FILE)) ?? ''
      if (text !== entries.map(lineOf).join('')) await this.#replace(id, name, entries)
    }
  }

  /** Up to the first one that is missing: their numbers have no gap. */
  async events(id: string): Promise<StoredEvent[]> {
    const found = await this.#lines(id, 'events', StoredEvent)
    const gap = found.findIndex((event, index) => event.id !== index + 1)
    return gap < 0 ? found : found.slice(0, gap)
  }

  journal(id: string): Promise<JournalEntry[]> {
    return this.#lines(id, 'journal', JournalEntry)
  }

  /** When it was asked for, in milliseconds, how many bytes it takes, and whether it never came. */
  async factsOf(id: string): Promise<{ id: string; at: number; size: number; cancelled: boolean }> {
    const created_at = (await this.request(id))?.created_at
    const entries = await this.#files.list(`${this.#root}/${id}`)
    const sizes = entries.map(({ name }) => this.#files.stat(`${this.#root}/${id}/${name}`))
    const size = (await Promise.all(sizes)).reduce((sum, found) => sum + (found?.size ?? 0), 0)
    const at = created_at ?? (await this.cancelledAt(id)) ?? 0
    return { id, at, size, cancelled: created_at === undefined }
  }

  async remove(id: string): Promise<void> {
    await this.#files.remove(`${this.#root}/${id}`)
  }

  async #provide(id: string): Promise<void> {
    const known = await this.#files.stat(this.#root)
    if (!known) await this.#files.mkdir(this.#root, { mode: 0o700 })
    await this.#files.mkdir(`${this.#root}/${id}`)
  }

  async #write(id: string, name: string, value: object): Promise<void> {
    await this.#provide(id)
    const path = `${this.#root}/${id}/${name}.json`
    await this.#files.write(path, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  }

  async #append(id: string, name: string, text: string, sync: boolean): Promise<void> {
    const path = this.#path(id, name)
    try {
      await this.#files.append(path, this.#torn.has(path) ? `\n${text}` : text, { sync })
      this.#torn.delete(path)
    } catch (error) {
      this.#torn.add(path)
      throw error
    }
  }

  async #replace(id: string, name: string, entries: readonly object[]): Promise<void> {
    const path = this.#path(id, name)
    await this.#files.write(path, entries.map(lineOf).join(''), { mode: 0o600 })
    this.#torn.delete(path)
  }

  #path(id: string, name: string): string {
    return `${this.#root}/${id}/${name}.ndjson`
  }

  async #lines<T>(id: string, name: string, schema: z.ZodType<T>): Promise<T[]> {
    const text = (await this.#files.read(this.#path(id, name), MAX_FILE)) ?? ''
    const found: T[] = []
    for (const line of text.split('\n')) {
      const entry = line === '' ? undefined : schema.safeParse(parsed(line))
      if (entry?.success) found.push(entry.data)
    }
    return found
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
