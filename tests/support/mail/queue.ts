import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import {
  NO_SERVER_SETTING,
  newSiteSetting,
  type ServerSetting,
  type SiteSetting,
} from '#agent/features/mail/setting.ts'
import { type MailPaths, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { DEFAULT_SCHEDULE, type RetrySchedule } from '#agent/kernel/mail/retry-schedule.ts'
import { MailService } from '#agent/programs/mail/serve.ts'
import type { MailCounts } from '#shared/mail/mail.ts'

/** Milliseconds instead of minutes. */
const FAST: RetrySchedule = { ...DEFAULT_SCHEDULE, retries: [50] }

/** A folder as root creates it for the queue, with one site. */
export class MailPlace {
  readonly root = mkdtempSync(`${tmpdir()}/mail-`)
  readonly places: MailPaths = mailPathsIn(this.root)

  constructor(users: readonly string[] = ['shop']) {
    const { sites, sockets, queue, status } = this.places
    for (const folder of [sites, sockets, queue, status]) mkdirSync(folder, { recursive: true })
    for (const user of users) {
      mkdirSync(this.places.socketFolder(user))
      this.site({}, user)
    }
  }

  server(port: number, change: Partial<ServerSetting> = {}): void {
    const relay = { host: '127.0.0.1', port, tls: 'none' as const, user: '', password: '' }
    const setting = { ...NO_SERVER_SETTING, relay, ...change }
    writeFileSync(this.places.server, JSON.stringify(setting))
  }

  site(change: Partial<SiteSetting>, user = 'shop'): void {
    const setting = { ...newSiteSetting(`${user}.example.com`), ...change }
    writeFileSync(this.places.site(user), JSON.stringify(setting))
  }

  status(user = 'shop'): MailCounts {
    return JSON.parse(readFileSync(this.places.statusOf(user), 'utf8')).shown
  }

  /** Names of the files of messages. */
  files(user = 'shop'): string[] {
    return readdirSync(this.places.queueOf(user))
  }

  /** The same, once empty: the text of a message is deleted after its record. */
  async emptied(user = 'shop'): Promise<string[]> {
    for (let tries = 0; this.files(user).length > 0 && tries < 500; tries += 1) await Bun.sleep(10)
    return this.files(user)
  }

  service(schedule = FAST): MailService {
    return new MailService({ root: this.root, schedule, look_ms: 20 })
  }

  async started(schedule = FAST): Promise<MailService> {
    const service = this.service(schedule)
    await service.look()
    void service.run()
    return service
  }

  async until(state: (status: MailCounts) => boolean, user = 'shop'): Promise<void> {
    for (let tries = 0; !state(this.status(user)); tries += 1) {
      if (tries > 1500) throw new Error(`It stays at ${JSON.stringify(this.status(user))}`)
      await Bun.sleep(10)
    }
  }
}

export interface Handed {
  sender?: string
  recipients?: string[]
  id?: string
  /** Ends the connection so many bytes before the end of the message. */
  short?: number
}

/** Acts as `sendmail`; returns the queue's answer. */
export function hand(socket: string, text: string, handed: Handed = {}): Promise<string> {
  const { sender = null, recipients = [], id = randomBytes(12).toString('hex') } = handed
  const bytes = Buffer.from(text)
  const opening = { id, sender, recipients, from_fields: true, size: bytes.length }
  const connection = net.connect({ path: socket })
  connection.write(`${JSON.stringify(opening)}\n`)
  return new Promise((resolve) => {
    let answer = ''
    connection.on('data', (chunk) => {
      answer += String(chunk)
      if (answer !== '354\n') return
      answer = ''
      if (handed.short === undefined) connection.write(bytes)
      else connection.end(bytes.subarray(0, -handed.short))
    })
    connection.on('error', (error) => resolve(error.message))
    connection.on('close', () => resolve(answer.trim()))
  })
}

export const messageTo = (to: string, subject = 'Hello', more = '') =>
  `To: ${to}\r\nSubject: ${subject}\r\n${more}\r\nWords\n.\nof the site\n`
