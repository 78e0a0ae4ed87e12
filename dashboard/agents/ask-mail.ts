import { type MailTroubles, mailTroublesOf } from '#dashboard/db/mail-trouble.ts'
import { SiteMail } from '#shared/agent.ts'
import type { Agents } from './agents.ts'

type Address = Parameters<Agents['get']>[0]

/** Undefined: the agent has no mail queue, or does not report it, and the record stays. */
export async function askMail(agents: Agents, to: Address): Promise<MailTroubles | undefined> {
  try {
    const { entries } = await agents.list(to, '/mail', { key: 'sites', entry: SiteMail })
    return mailTroublesOf(entries)
  } catch {
    return undefined
  }
}
