import type { Host } from '#agent/host/ports.ts'
import { change, run } from '#agent/os/effects/effects.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Step } from '#agent/steps/command.ts'
import { gateOf, hasGate } from './gate.ts'
import { endSessions } from './sessions.ts'

/**
 * The day on which a closed account expired. It differs from that of an account in the trash, and
 * from that of an administrator: only what was closed here is opened again.
 */
const CLOSED = '2'
const DAY_MS = 86_400_000

type Owner = Pick<Site, 'domain' | 'user' | 'access'>

/** The step before files or database are replaced or moved: no login, and no live session. */
export function closingSteps(host: Host, site: Owner): Step[] {
  if (!hasPeople(site)) return []
  const steady = host.steady ?? host
  return [
    {
      name: 'close logins',
      title: `Ending the SFTP and SSH sessions of ${site.domain}`,
      effects: [change('user', site.user), run('stop', 'SSH sessions')],
      apply: () => closeLogins(host, site.user),
      undo: () => openLogins(steady, site.user),
    },
  ]
}

/** The opposite. */
export function openingSteps(host: Host, site: Owner): Step[] {
  if (!hasPeople(site)) return []
  const steady = host.steady ?? host
  return [
    {
      name: 'open logins',
      title: `Admitting people to ${site.domain} again`,
      effects: [change('user', site.user)],
      apply: () => openLogins(host, site.user),
      undo: () => closeLogins(steady, site.user),
    },
  ]
}

const hasPeople = ({ access = [] }: Owner): boolean => access.length > 0

/** sshd asks PAM, which refuses an expired account whatever its key. */
async function closeLogins(host: Host, user: string): Promise<void> {
  for (const account of await openAccounts(host, user)) await expire(host, account, CLOSED)
  await endSessions(host, user)
}

/** Nothing for accounts that are not closed. */
export async function openLogins(host: Host, user: string): Promise<void> {
  const days = await expiries(host)
  for (const account of await accountsOf(host, user)) {
    if (days.get(account) === CLOSED) await expire(host, account, '')
  }
}

/** The accounts that `closingSteps` closes, for those who open them without the agent. */
export const closable = async (host: Host, site: Owner): Promise<string[]> =>
  hasPeople(site) ? openAccounts(host, site.user) : []

/** Whether any account is closed. */
export const hasClosed = async (host: Host): Promise<boolean> =>
  [...(await expiries(host)).values()].includes(CLOSED)

async function openAccounts(host: Host, user: string): Promise<string[]> {
  const days = await expiries(host)
  const today = Math.floor(host.clock.now() / DAY_MS)
  const isOpen = (day?: string) => day === '' || day === CLOSED || Number(day) > today
  return (await accountsOf(host, user)).filter((account) => isOpen(days.get(account)))
}

const accountsOf = async (host: Host, user: string): Promise<string[]> =>
  (await hasGate(host, user)) ? [user, gateOf(user)] : [user]

/** The day of each account: shadow(5). */
async function expiries({ files }: Host): Promise<Map<string, string>> {
  const lines = ((await files.read('/etc/shadow', 64 << 20)) ?? '').split('\n')
  return new Map(
    lines.map((line) => {
      const [account = '', ...fields] = line.split(':')
      return [account, fields[6] ?? ''] as const
    }),
  )
}

const expire = ({ shell }: Host, account: string, day: string) =>
  shell.run(['usermod', '--expiredate', day, '--', account])
