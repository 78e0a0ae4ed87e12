import type { z } from 'zod'
import { attempt } from '#agent/kernel/host/attempt.ts'
import type { Files } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { isNumbered, StoredEvent } from '#shared/kernel/sse.ts'
import { Cancelled, JournalEntry, Request } from './records.ts'
import { Refusal } from './refusal.ts'

const SIZE = 4 << 20
/** With less free space the reserve would only fill the disk. */
const SPARE = 16 * SIZE

/**
 * Reserved space on the agent's disk: when that is full, it is released, so that started steps can
 * be undone and the end be stored.
 */
export function reserveOf(files: Files, state_dir: string) {
  const path = `${state_dir}/reserve/room`
  return {
    /** Creates it, if it is missing and there is space for it. */
    async keep(): Promise<void> {
      if (await files.stat(path)) return
      if ((await files.space(state_dir)).free < SPARE) return
      await files.write(path, 'reserve '.repeat(SIZE / 8), { mode: 0o600 })
    },

    /** False: there was none. */
    async give(): Promise<boolean> {
      if (!(await files.stat(path))) return false
      await files.remove(path)
      return true
    },
  }
}

const MAX_FILE = 64 << 20

/**
 * `<state>/operations/<id>/`: request.json, journal.ndjson and events.ndjson. Lines are only appended,
 * so that an interruption can damage only the last one, which is then ignored.
 */
export class OperationStore {
  readonly #files: Files
  readonly #root: string
  /** Released when a write fails on a full disk. */
  readonly reserve: ReturnType<typeof reserveOf>
  /** Files whose last line may be incomplete after a write on a full disk. */
  readonly #torn = new Set<string>()

  constructor(files: Files, state_dir: string) {
    this.#files = files
    this.#root = `${state_dir}/operations`
    this.reserve = reserveOf(files, state_dir)
  }

  /** The request is written last: without it the folder does not count. */
  async create(request: Request): Promise<void> {
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

  request(id: string): Promise<Request | undefined> {
    return this.#read(id, 'request', Request)
  }

  /** From now on the operation of this id is cancelled, even before it arrives. */
  async cancel(id: string, at: number): Promise<void> {
    await this.#withReserve(() => this.#write(id, 'cancelled', { at }))
  }

  async cancelledAt(id: string): Promise<number | undefined> {
    return (await this.#read(id, 'cancelled', Cancelled))?.at
  }

  async refuse(id: string, refusal: Refusal): Promise<void> {
    await this.#withReserve(() => this.#write(id, 'refused', refusal))
  }

  refusal(id: string): Promise<Refusal | undefined> {
    return this.#read(id, 'refused', Refusal)
  }

  /**
   * On the disk when this returns, even a log line: a dashboard stores received events, and after a
   * power failure the agent must not send others under the same numbers. A step has no number, and
   * is stored with the next event at the latest.
   */
  async addEvent(id: string, event: StoredEvent): Promise<void> {
    await this.#append(id, 'events', lineOf(event), event.event !== 'step')
  }

  /** It is on the disk when this returns. */
  async addEntry(id: string, entry: JournalEntry): Promise<void> {
    await this.#append(id, 'journal', lineOf(entry), true)
  }

  /** Lets the next start skip it; a lost mark does no harm. */
  async markEnded(id: string): Promise<void> {
    await this.#append(id, 'ended', '', false).catch(() => undefined)
  }

  async unended(): Promise<string[]> {
    const ids = await this.ids()
    const marks = await Promise.all(ids.map((id) => this.#files.stat(this.#path(id, 'ended'))))
    return ids.filter((_, index) => !marks[index])
  }

  /**
   * Removes an incomplete last line, so that the next one stands alone. If the disk does not allow
   * it, the next line is written on a new line.
   */
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

  /** Events with the changes of steps between them. */
  async history(id: string): Promise<StoredEvent[]> {
    return withoutGap(await this.#lines(id, 'events', StoredEvent))
  }

  /** Returns the events of an operation that have a number. */
  async events(id: string): Promise<StoredEvent[]> {
    return (await this.history(id)).filter(isNumbered)
  }

  journal(id: string): Promise<JournalEntry[]> {
    return this.#lines(id, 'journal', JournalEntry)
  }

  /** The time of its request in milliseconds, its bytes, and whether it never started. */
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
    const text = await this.#files.read(`${this.#root}/${id}/${name}.json`, MAX_FILE)
    return text === undefined ? undefined : schema.safeParse(parsed(text)).data
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

  /** Once more, on a full disk, with the reserved space. */
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
    return text.split('\n').flatMap((line) => schema.safeParse(parsed(line)).data ?? [])
  }
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`
const parsed = (text: string): unknown => attempt(() => JSON.parse(text))

/**
 * The events before the first gap of their numbers. A repeated number belongs to a line whose write
 * was uncertain, so nobody has seen it.
 */
function withoutGap(events: readonly StoredEvent[]): StoredEvent[] {
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
