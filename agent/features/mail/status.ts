import { z } from 'zod'
import { reading } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Mail } from '#shared/mail/mail.ts'
import { MailCounts, NO_MAIL } from '#shared/mail/mail.ts'
import { mailReading } from '#shared/mail/readings.ts'
import { mailService } from './service.ts'

const Status = z.object({ shown: MailCounts })

/** Returns the report of the queue for each site; none if it never sent mail. */
export async function readMail(host: Host): Promise<Mail> {
  const sites = await listSites(host)
  const statuses = sites.map(async ({ domain, user }) => ({
    ...(await readStatus(host, user)),
    domain,
  }))
  return { running: await isRunning(host, mailService(host)), sites: await Promise.all(statuses) }
}

/** Reads the file of the queue, which is not root: an unreadable one counts as none. */
async function readStatus({ files, settings }: Host, user: string): Promise<MailCounts> {
  const path = mailPathsIn(settings.mail_dir).statusOf(user)
  const text = await files.read(path).catch(() => undefined)
  return parseJson(Status, text)?.shown ?? NO_MAIL
}

export const mail = reading(mailReading, ({ host }) => readMail(host))
