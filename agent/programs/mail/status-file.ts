import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { MailCounts } from '#shared/mail/mail.ts'
import type { StoredCounts } from './counts.ts'

const Hour = z.object({ hour: z.int(), sent: z.int(), failed: z.int(), refused: z.int() })
const Status = z.object({ hours: z.array(Hour).max(48), shown: MailCounts })

/** The status of a site's queue for root. A power failure may lose its last state, but no message. */
export class StatusFile {
  readonly #path: string
  #turn: Promise<void> = Promise.resolve()
  #last = ''

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<StoredCounts | undefined> {
    try {
      const { hours, shown } = Status.parse(JSON.parse(await readFile(this.#path, 'utf8')))
      return { hours, last_sent_at: shown.last_sent_at, failures: shown.failures }
    } catch {
      return undefined
    }
  }

  write({ hours }: StoredCounts, shown: MailCounts): Promise<void> {
    const text = JSON.stringify({ hours, shown })
    if (text === this.#last) return this.#turn
    this.#last = text
    const written = this.#turn.then(async () => {
      await writeFile(`${this.#path}.new`, text, { mode: 0o600 })
      await rename(`${this.#path}.new`, this.#path)
    })
    this.#turn = written.catch(() => undefined)
    return written
  }
}
