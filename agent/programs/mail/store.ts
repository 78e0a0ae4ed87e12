import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { z } from 'zod'
import { KEPT_FOLDER } from '#agent/kernel/mail/paths.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { undefinedIfMissing } from './undefined-if-missing.ts'

/** The state of one waiting message; its text is beside it, in the form for the relay. */
const WaitingMessage = z.object({
  id: z.string().regex(/^[0-9a-f]{24}$/),
  sender: z.string().max(254),
  recipients: z.array(z.string().max(254)).min(1),
  size: z.number(),
  created_at: z.number(),
  /** The number of attempts that the relay answered with "later". */
  attempts: z.number().int(),
  next_at: z.number(),
  answer: z.string().default(''),
})
export type WaitingMessage = z.infer<typeof WaitingMessage>

/**
 * The messages of one site. A message exists as soon as its `.json` does, which is written last and
 * removed first; each write is synced to the disk before the answer.
 */
export class MessageStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Opens a new text, which counts only after a call of `put`. */
  async openText(id: string): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    return open(this.textPath(id), 'w', 0o600)
  }

  textPath(id: string): string {
    return `${this.#folder}/${id}.eml`
  }

  async put(message: WaitingMessage): Promise<void> {
    const path = this.#path(message.id)
    const draft = `${path}.new`
    await writeSynced(draft, JSON.stringify(message))
    await rename(draft, path)
    await this.#sync()
  }

  /** Replaces the state of a message synchronously, for recipients that have received it. */
  replace(message: WaitingMessage): void {
    const path = this.#path(message.id)
    const file = openSync(`${path}.new`, 'w', 0o600)
    try {
      writeSync(file, JSON.stringify(message))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${path}.new`, path)
    void this.#sync().catch(() => undefined)
  }

  /** Removes a message synchronously, in the turn of the relay's answer. */
  remove(id: string): void {
    unlinkSync(this.#path(id))
    unlink(this.textPath(id)).catch(() => undefined)
    void this.#sync().catch(() => undefined)
  }

  async dropText(id: string): Promise<void> {
    await unlink(this.textPath(id)).catch(() => undefined)
  }

  /**
   * Loads the messages of an earlier process, oldest first, and the ids of damaged ones. Removes
   * texts of incomplete messages. Throws, and removes nothing, when an existing file cannot be read
   * now.
   */
  async load(): Promise<{ waiting: WaitingMessage[]; damaged: string[] }> {
    const names = (await undefinedIfMissing(readdir(this.#folder))) ?? []
    const waiting: WaitingMessage[] = []
    const damaged: string[] = []
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const message = await this.#read(name)
      if (message && names.includes(`${message.id}.eml`)) waiting.push(message)
      else damaged.push(name.slice(0, -'.json'.length))
    }
    const known = new Set([
      KEPT_FOLDER,
      ...waiting.flatMap(({ id }) => [`${id}.json`, `${id}.eml`]),
    ])
    for (const name of names) {
      if (!known.has(name)) await unlink(`${this.#folder}/${name}`).catch(() => undefined)
    }
    return { waiting: waiting.sort((one, other) => one.created_at - other.created_at), damaged }
  }

  async #read(name: string): Promise<WaitingMessage | undefined> {
    const text = await readFile(`${this.#folder}/${name}`, 'utf8')
    return parseJson(WaitingMessage, text)
  }

  async #sync(): Promise<void> {
    await using folder = await open(this.#folder, 'r')
    await folder.sync()
  }

  #path(id: string): string {
    return `${this.#folder}/${id}.json`
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
}
