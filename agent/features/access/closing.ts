import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { clientDates, clientLoginsOf } from './clients.ts'
import { gateOf, hasGate } from './gate.ts'
import { endSessions } from './sessions.ts'
import { CLOSED, expire, expiries } from './shadow.ts'

const DAY_MS = 86_400_000

type Owner = Pick<Site, 'domain' | 'user' | 'access' | 'clients'>

/** The step before files or database are replaced or moved: no login, and no live session. */
export function closingSteps(host: Host, site: Owner): Step[] {
  if (!hasPeople(site)) return []
  const steady = host.steady ?? host
  return [
    {
      name: 'close logins',
      title: `Ending the SFTP and SSH sessions of ${site.domain}`,
      effects: async () => [
        ...(await openAccountChanges(host, site.user)),
        run('stop', 'SSH sessions'),
      ],
      apply: () => closeLogins(host, site.user),
      undo: () => openLogins(steady, site),
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
      title: `Allowing logins to ${site.domain} again`,
      effects: () => openAccountChanges(host, site.user),
      apply: () => openLogins(host, site),
      undo: () => closeLogins(steady, site.user),
    },
  ]
}

const hasPeople = ({ access = [], clients = [] }: Owner): boolean =>
  access.length + clients.length > 0

/** They close and open the same accounts. */
const openAccountChanges = async (host: Host, user: string): Promise<Effect[]> =>
  (await openAccounts(host, user)).map((account) => change('user', account))

/** sshd asks PAM, which refuses an expired account whatever its key. */
async function closeLogins(host: Host, user: string): Promise<void> {
  for (const account of await openAccounts(host, user)) await expire(host, account, CLOSED)
  await endSessions(host, user)
}

/** Nothing for accounts that are not closed. */
export async function openLogins(host: Host, site: Dated): Promise<void> {
  const [days, dates] = [await expiries(host), clientDates(site, host.clock.now())]
  for (const account of await accountsOf(host, site.user)) {
    if (days.get(account) === CLOSED) await expire(host, account, dates.get(account) ?? '')
  }
}
type Dated = Pick<Site, 'user' | 'clients'>

/**
 * The accounts that `closingSteps` closes, for those who open them without the agent, each with the
 * date on which it expires.
 */
export async function closable(
  host: Host,
  site: Owner,
): Promise<[account: string, date: string][]> {
  if (!hasPeople(site)) return []
  const dates = clientDates(site, host.clock.now())
  const accounts = await openAccounts(host, site.user)
  return accounts.map((account) => [account, dates.get(account) ?? ''])
}

/** Whether any account is closed. */
export const hasClosed = async (host: Host): Promise<boolean> =>
  [...(await expiries(host)).values()].includes(CLOSED)

async function openAccounts(host: Host, user: string): Promise<string[]> {
  const days = await expiries(host)
  const today = Math.floor(host.clock.now() / DAY_MS)
  const isOpen = (day?: string) => day === '' || day === CLOSED || Number(day) > today
  return (await accountsOf(host, user)).filter((account) => isOpen(days.get(account)))
}

const accountsOf = async (host: Host, user: string): Promise<string[]> => [
  user,
  ...((await hasGate(host, user)) ? [gateOf(user)] : []),
  ...(await clientLoginsOf(host, user)),
]
