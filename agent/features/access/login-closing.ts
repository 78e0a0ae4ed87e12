import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { clientDates, clientLoginsOf } from './clients.ts'
import { endSessions } from './sessions.ts'
import { CLOSED, expire, expiries } from './shadow.ts'
import { hasShellAccount, shellAccountOf } from './shell-account.ts'

const DAY_MS = 86_400_000

type LoginSite = Pick<Site, 'domain' | 'user' | 'access' | 'clients'>

/** Closes logins and ends sessions before files or database are replaced or moved. */
export function closeLoginsSteps(host: Host, site: LoginSite): Step[] {
  if (!hasLogins(site)) return []
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

export function openLoginsSteps(host: Host, site: LoginSite): Step[] {
  if (!hasLogins(site)) return []
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

const hasLogins = ({ access = [], clients = [] }: LoginSite): boolean =>
  access.length + clients.length > 0

/** They close and open the same accounts. */
const openAccountChanges = async (host: Host, user: string): Promise<Effect[]> =>
  (await openAccounts(host, user)).map((account) => change('user', account))

/** sshd asks PAM, which refuses an expired account whatever its key. */
async function closeLogins(host: Host, user: string): Promise<void> {
  for (const account of await openAccounts(host, user)) await expire(host, account, CLOSED)
  await endSessions(host, user)
}

/** Reopens the accounts that `closeLogins` closed. */
export async function openLogins(host: Host, site: SiteWithClients): Promise<void> {
  const [days, dates] = [await expiries(host), clientDates(site, host.clock.now())]
  for (const account of await accountsOf(host, site.user)) {
    if (days.get(account) === CLOSED) await expire(host, account, dates.get(account) ?? '')
  }
}
type SiteWithClients = Pick<Site, 'user' | 'clients'>

/** Returns the accounts that `closeLoginsSteps` closes with dates of expiry, for reopening. */
export async function openAccountDates(
  host: Host,
  site: LoginSite,
): Promise<[account: string, date: string][]> {
  if (!hasLogins(site)) return []
  const dates = clientDates(site, host.clock.now())
  const accounts = await openAccounts(host, site.user)
  return accounts.map((account) => [account, dates.get(account) ?? ''])
}

export const hasClosedAccounts = async (host: Host): Promise<boolean> =>
  [...(await expiries(host)).values()].includes(CLOSED)

async function openAccounts(host: Host, user: string): Promise<string[]> {
  const days = await expiries(host)
  const today = Math.floor(host.clock.now() / DAY_MS)
  const isOpen = (day?: string) => day === '' || day === CLOSED || Number(day) > today
  return (await accountsOf(host, user)).filter((account) => isOpen(days.get(account)))
}

const accountsOf = async (host: Host, user: string): Promise<string[]> => [
  user,
  ...((await hasShellAccount(host, user)) ? [shellAccountOf(user)] : []),
  ...(await clientLoginsOf(host, user)),
]
