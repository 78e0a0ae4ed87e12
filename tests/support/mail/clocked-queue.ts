import { writeFileSync } from 'node:fs'
import { DEFAULT_SCHEDULE } from '#agent/kernel/mail/retry-schedule.ts'
import { MailLog } from '#agent/programs/mail/log.ts'
import { settingFiles } from '#agent/programs/mail/setting-files.ts'
import { SiteQueue } from '#agent/programs/mail/site-queue.ts'
import type { SmtpOptions } from '#agent/programs/mail/smtp.ts'
import { StatusFile } from '#agent/programs/mail/status-file.ts'
import { MessageStore } from '#agent/programs/mail/store.ts'
import type { MailCounts } from '#shared/mail/mail.ts'
import { MailPlace } from './queue.ts'

export const HOUR = 3_600_000
const MINUTE = 60_000

/** The queue of one site with a test clock and a real server's schedule. */
export class ClockedQueue {
  now = Date.parse('2026-03-01T00:00:00.000Z')
  readonly place = new MailPlace()
  readonly #smtp: SmtpOptions
  readonly #store = new MessageStore(this.place.places.queueOf('shop'))
  #queue: SiteQueue | undefined

  constructor(port: number, smtp: SmtpOptions = {}) {
    this.#smtp = smtp
    this.place.server(port, { hourly_limit: 1000 })
  }

  /** Opens or reopens it. */
  async open(): Promise<SiteQueue> {
    const { places } = this.place
    this.#queue = await SiteQueue.open({
      ...{ user: 'shop', store: this.#store, settings: settingFiles(places) },
      caught: new MessageStore(places.caughtOf('shop')),
      ...{
        status: new StatusFile(places.statusOf('shop')),
        schedule: DEFAULT_SCHEDULE,
        smtp: this.#smtp,
      },
      log: new MailLog(places.logOf('shop'), () => this.now),
      ...{ now: () => this.now, random: () => 0 },
    })
    return this.#queue
  }

  /** Taken `age_ms` ago. */
  async put(
    subject: string,
    { recipients = ['ann@example.org'], age_ms = 0, words = 'Words\r\n' } = {},
  ): Promise<void> {
    const queue = this.#queue ?? (await this.open())
    const id = Buffer.from(subject.padEnd(12, '.')).toString('hex').slice(0, 24)
    const text = await this.#store.openText(id)
    await text.close()
    writeFileSync(this.#store.textPath(id), `Subject: ${subject}\r\n\r\n${words}`)
    const created_at = this.now - age_ms
    const sender = 'shop@shop.example.com'
    const times = { created_at, next_at: created_at, attempts: 0, answer: '' }
    await queue.add({ id, sender, recipients, size: 10, ...times })
  }

  /** One attempt of the service. */
  async work(): Promise<MailCounts> {
    await (this.#queue ?? (await this.open())).work()
    return this.place.status()
  }

  /** Lets time pass for the service, which looks for due messages once a minute here. */
  async pass(ms: number): Promise<MailCounts> {
    const end = this.now + ms
    let status = await this.work()
    while (this.now < end) {
      this.now = Math.min(end, this.now + MINUTE)
      status = await this.work()
    }
    return status
  }
}
