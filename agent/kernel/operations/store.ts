import type { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { isNumbered, StoredEvent } from '#shared/kernel/sse.ts'
import { CancelRecord, JournalEntry, OperationRequest } from './records.ts'
import { RefusalRecord } from './refusal.ts'

const RESERVE_BYTES = 4 << 20
/** The minimum free space for the reserve, which would otherwise fill the disk. */
const MIN_FREE = 16 * RESERVE_BYTES

/** Returns the reserve on the agent's disk, which is released to undo steps on a full disk. */
export function reserveOf(files: Files, state_dir: string) {
  const path = `${state_dir}/reserve/room`
  return {
    /** Creates the reserve if there is space for it. */
    async keep(): Promise<void> {
      if (await files.stat(path)) return
      if ((await files.space(state_dir)).free < MIN_FREE) return
      await files.write(path, 'reserve '.repeat(RESERVE_BYTES / 8), { mode: 0o600 })
    },

    /** Returns false if there was none. */
    async give(): Promise<boolean> {
      if (!(await files.stat(path))) return false
      await files.remove(path)
      return true
    },
  }
}

const MAX_FILE = 64 << 20

/**
 * The records in `<state>/operations/<id>/`: request.json, journal.ndjson and events.ndjson. Lines
 * are only appended, so that an interruption can damage only the last one, which is then ignored.
 */
export class OperationStore {
  readonly #files: Files
  readonly #root: string
  /** The reserve that is released when a write fails on a full disk. */
  readonly reserve: ReturnType<typeof reserveOf>
  /** Files whose last line may be incomplete after a write on a full disk. */
  readonly #torn = new Set<string>()

  constructor(files: Files, state_dir: string) {
    this.#files = files
    this.#root = `${state_dir}/operations`
    this.reserve = reserveOf(files, state_dir)
  }

  /** Writes the request last: without it the folder does not count. */
  async create(request: OperationRequest): Promise<void> {
    await this.#withReserve(async () => {
      await this.#provide(request.id)
      for (const name of ['events', 'journal']) await this.#append(request.id, name, '', false)
      await this.#write(request.id, 'request', request)
    })
  }

  async ids(): Promise<string[]> {
    const entries = await this.#files.list(this.#root)
    return entries.filter(({ kind }) => kind === 'directory').map(({ name }) => name)
  }

  request(id: string): Promise<OperationRequest | undefined> {
    return this.#read(id, 'request', OperationRequest)
  }

  /** Cancels the operation of this id, even before it arrives. */
  async cancel(id: string, at: number): Promise<void> {
    await this.#withReserve(() => this.#write(id, 'cancelled', { at }))
  }

  async cancelledAt(id: string): Promise<number | undefined> {
    return (await this.#read(id, 'cancelled', CancelRecord))?.at
  }

  async refuse(id: string, refusal: RefusalRecord): Promise<void> {
    await this.#withReserve(() => this.#write(id, 'refused', refusal))
  }

  refusal(id: string): Promise<RefusalRecord | undefined> {
    return this.#read(id, 'refused', RefusalRecord)
  }

  /**
   * Returns when the event is on the disk, even a log line: a dashboard stores received events, and
   * after a power failure the agent must not send others under the same numbers. A step has no
   * number, and is stored with the next event at the latest.
   */
  async addEvent(id: string, event: StoredEvent): Promise<void> {
    await this.#append(id, 'events', lineOf(event), event.event !== 'step')
  }

  /** Returns when the entry is on the disk. */
  async addEntry(id: string, entry: JournalEntry): Promise<void> {
    await this.#append(id, 'journal', lineOf(entry), true)
  }

  /** Marks the operation as ended, so that the next start skips it; a lost mark does no harm. */
  async markEnded(id: string): Promise<void> {
    await this.#append(id, 'ended', '', false).catch(() => undefined)
  }

  async unended(): Promise<string[]> {
    const ids = await this.ids()
    const marks = await Promise.all(ids.map((id) => this.#files.stat(this.#path(id, 'ended'))))
    return ids.filter((_, index) => !marks[index])
  }

  /** Removes an incomplete last line; on a full disk the next one begins a new line. */
  async mend(id: string): Promise<void> {
    const kept = { events: await this.history(id), journal: await this.journal(id) }
    for (const [name, entries] of Object.entries(kept)) {
      const path = this.#path(id, name)
      const whole = entries.map(lineOf).join('')
      if (((await this.#files.read(path, MAX_FILE)) ?? '') === whole) continue
      await this.#files.write(path, whole, { mode: 0o600 }).then(
        () => this.#torn.delete(path),
        () => this.#torn.add(path),
      )
    }
  }

  /** Returns the events with the changes of steps between them. */
  async history(id: string): Promise<StoredEvent[]> {
    return untilGap(await this.#lines(id, 'events', StoredEvent))
  }

  /** Returns the events of an operation that have a number. */
  async events(id: string): Promise<StoredEvent[]> {
    return (await this.history(id)).filter(isNumbered)
  }

  journal(id: string): Promise<JournalEntry[]> {
    return this.#lines(id, 'journal', JournalEntry)
  }

  /** Returns the time of its request in milliseconds, its bytes, and whether it never started. */
  async factsOf(id: string): Promise<{ id: string; at: number; size: number; unstarted: boolean }> {
    const created_at = (await this.request(id))?.created_at
    const entries = await this.#files.list(`${this.#root}/${id}`)
    const sizes = entries.map(({ name }) => this.#files.stat(`${this.#root}/${id}/${name}`))
    const size = (await Promise.all(sizes)).reduce((sum, found) => sum + (found?.size ?? 0), 0)
    const at = created_at ?? (await this.refusal(id))?.at ?? (await this.cancelledAt(id)) ?? 0
    return { id, at, size, unstarted: created_at === undefined }
  }

  async remove(id: string): Promise<void> {
    await this.#files.remove(`${this.#root}/${id}`)
  }

  async #provide(id: string): Promise<void> {
    const known = await this.#files.stat(this.#root)
    if (!known) await this.#files.mkdir(this.#root, { mode: 0o700 })
    await this.#files.mkdir(`${this.#root}/${id}`)
  }

  async #read<T>(id: string, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    return parseJson(schema, await this.#files.read(`${this.#root}/${id}/${name}.json`, MAX_FILE))
  }

  async #write(id: string, name: string, value: object): Promise<void> {
    await this.#provide(id)
    const path = `${this.#root}/${id}/${name}.json`
    await this.#files.write(path, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  }

  async #append(id: string, name: string, text: string, sync: boolean): Promise<void> {
    const path = this.#path(id, name)
    await this.#withReserve(async () => {
      const line = this.#torn.has(path) ? `\n${text}` : text
      this.#torn.add(path)
      await this.#files.append(path, line, { sync })
      this.#torn.delete(path)
    })
  }

  /** Repeats the work on a full disk with the reserved space. */
  async #withReserve(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isDiskFull(error) || !(await this.reserve.give())) throw error
      await work()
    }
  }

  #path(id: string, name: string): string {
    return `${this.#root}/${id}/${name}.ndjson`
  }

  async #lines<T>(id: string, name: string, schema: z.ZodType<T>): Promise<T[]> {
    const text = (await this.#files.read(this.#path(id, name), MAX_FILE)) ?? ''
    return text.split('\n').flatMap((line) => parseJson(schema, line) ?? [])
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`

/** Returns the events before the first gap of their numbers; nobody has seen a repeated one. */
function untilGap(events: readonly StoredEvent[]): StoredEvent[] {
  const found: StoredEvent[] = []
  let last = 0
  for (const event of events) {
    if (event.id > (isNumbered(event) ? last + 1 : last)) break
    const first = found.findIndex((other) => isNumbered(other) && other.id >= event.id)
    if (isNumbered(event) && first >= 0) found.splice(first)
    found.push(event)
    last = event.id
  }
  return found
}
