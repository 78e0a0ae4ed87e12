import { z } from 'zod'
import { OperationId } from '#shared/agent.ts'
import { type CommandName, isCommandName } from '#shared/commands.ts'
import { StoredEvent } from '#shared/sse.ts'
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

  constructor(files: Files, state_dir: string) {
    this.#files = files
    this.#root = `${state_dir}/operations`
  }

  async create(request: Request): Promise<void> {
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
    await this.#append(id, 'events', event)
  }

  async addEntry(id: string, entry: JournalEntry): Promise<void> {
    await this.#append(id, 'journal', entry)
  }

  events(id: string): Promise<StoredEvent[]> {
    return this.#lines(id, 'events', StoredEvent)
  }

  journal(id: string): Promise<JournalEntry[]> {
    return this.#lines(id, 'journal', JournalEntry)
  }

  /** Ends lines that were cut off: the next one would go down with them. */
  async mend(id: string): Promise<void> {
    for (const name of ['journal', 'events']) {
      const path = `${this.#root}/${id}/${name}.ndjson`
      const text = (await this.#files.read(path, MAX_FILE)) ?? ''
      if (text !== '' && !text.endsWith('\n')) await this.#files.append(path, '\n', { sync: true })
    }
  }

  async remove(id: string): Promise<void> {
    await this.#files.remove(`${this.#root}/${id}`)
  }

  async #write(id: string, name: string, value: object): Promise<void> {
    const known = await this.#files.stat(this.#root)
    if (!known) await this.#files.mkdir(this.#root, { mode: 0o700 })
    const path = `${this.#root}/${id}/${name}.json`
    await this.#files.write(path, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  }

  async #append(id: string, name: string, value: object): Promise<void> {
    const path = `${this.#root}/${id}/${name}.ndjson`
    await this.#files.append(path, `${JSON.stringify(value)}\n`, { sync: true })
  }

  async #lines<T>(id: string, name: string, schema: z.ZodType<T>): Promise<T[]> {
    const text = (await this.#files.read(`${this.#root}/${id}/${name}.ndjson`, MAX_FILE)) ?? ''
    const found: T[] = []
    for (const line of text.split('\n')) {
      const entry = line === '' ? undefined : schema.safeParse(parsed(line))
      if (entry?.success) found.push(entry.data)
    }
    return found
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
