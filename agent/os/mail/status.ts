import { z } from 'zod'
import { reading } from '#agent/calls/reading.ts'
import type { Host } from '#agent/host/ports.ts'
import { isRunning } from '#agent/os/services/service.ts'
import { listSites } from '#agent/os/site/sites.ts'
import type { Mail } from '#shared/agent.ts'
import { MailCounts, NO_MAIL } from '#shared/mail.ts'
import { parseJson } from '#shared/parse.ts'
import { mailReading } from '#shared/readings/mail.ts'
import { mailPlaces } from './places.ts'
import { mailService } from './service.ts'

const Status = z.object({ shown: MailCounts })

/** The report of the queue for each site; none if it never sent mail. */
export async function readMail(host: Host): Promise<Mail> {
  const sites = await listSites(host)
  const statuses = sites.map(async ({ domain, user }) => ({
    ...(await readStatus(host, user)),
    domain,
  }))
  return { running: await isRunning(host, mailService(host)), sites: await Promise.all(statuses) }
}

/** The queue, which is not root, owns the file: an unreadable one counts as none. */
async function readStatus({ files, settings }: Host, user: string): Promise<MailCounts> {
  const path = mailPlaces(settings.mail_dir).statusOf(user)
  const text = await files.read(path).catch(() => undefined)
  return parseJson(Status, text)?.shown ?? NO_MAIL
}

export const mail = reading(mailReading, ({ host }) => readMail(host))
