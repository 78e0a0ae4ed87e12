import type {
  Application,
  Scanner,
  SiteReader,
  TenantSite,
} from '#agent/kernel/host/scanner-port.ts'
import type { UnknownUpdates } from '#shared/kernel/inventory.ts'
import { type Machine, type Reported, readConfiguration } from './as-the-site.ts'
import { Remembered } from './remembered.ts'
import { Turns } from './turns.ts'

/**
 * The answers about sites: by reading files where the result is certain, which is fast; otherwise
 * from the site's own configuration, run with its rights, or unknown with a reason.
 */
export function siteScanner(reader: SiteReader, host: Machine): Scanner {
  const turns = new Turns(host)
  const applications = new Remembered<Application>(host)
  const settings = new Remembered<Reported>(host)
  const query = (site: TenantSite, owner: string, folders: boolean, urgent = true) =>
    turns.take(() => readConfiguration(host, site, { owner, folders }), urgent)

  const application = async (site: TenantSite, owner: string, first: Application) => {
    const result = await query(site, owner, true, false)
    if ('why' in result) return because(first, result.why)
    const second = await reader.application(site, result.facts).catch(() => undefined)
    return second ? { ...second.answer, owner: first.owner } : because(first, 'config_failed')
  }

  return {
    async inventory(site) {
      const { answer, unsure, owner } = await reader.inventory(site)
      if (!unsure) return answer
      applications.forget(keyOf(site))
      const result = await query(site, owner, true)
      const why = 'why' in result ? result.why : 'config_failed'
      const second =
        'facts' in result && (await reader.inventory(site, result.facts).catch(() => undefined))
      if (second) return second.answer
      return answer && { ...answer, inventory: because(answer.inventory, why) }
    },
    async application(site) {
      const { answer, unsure, owner } = await reader.application(site)
      if (!unsure) return answer
      const work = () => application(site, owner, answer)
      const known = await applications.get(keyOf(site), work, turns.remainingWait())
      return known ?? because(answer, 'config_pending')
    },
    async database(site) {
      const { answer, unsure, owner } = await reader.database(site)
      if (!unsure) return answer
      const withReport = async (result: Reported | undefined) =>
        result && 'facts' in result ? (await reader.database(site, result.facts)).answer : answer
      const known = settings.known(keyOf(site))
      const first = known && (await withReport(known))
      if (first?.state === 'answers') return first
      // The account may have changed.
      settings.forget(keyOf(site))
      return withReport(await settings.get(keyOf(site), () => query(site, owner, false, false)))
    },
    async databasePassword(site) {
      const { answer, unsure, owner } = await reader.databasePassword(site)
      if (!unsure) return answer
      const result = await query(site, owner, false)
      return 'facts' in result
        ? (await reader.databasePassword(site, result.facts)).answer
        : undefined
    },
  }
}

const keyOf = ({ docroot, user = '', domain = '' }: TenantSite) => `${docroot}\n${user}\n${domain}`

/** Only for unknown values. */
function because<T extends Pick<Application, 'updates' | 'unknown_because'>>(
  answer: T,
  why: UnknownUpdates,
): T {
  return Object.values(answer.updates).includes(null) ? { ...answer, unknown_because: why } : answer
}
