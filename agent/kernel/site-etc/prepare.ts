import { onUnits } from '#agent/kernel/services/index.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { readAccountNames, writeAccounts } from './accounts.ts'
import { provideSharedEtc } from './shared.ts'

/** The folders of records but those of proofs, which are removed at the start. */
const RECORD_FOLDERS = ['sites', 'moved', 'trash', 'purging', 'canaries'] as const

/**
 * Updates, at the start of the agent and before it runs anything as a site, the accounts of sites,
 * and adds those of packages that were installed since. Returns the problems.
 */
export const prepareSiteEtc = onUnits(async (host): Promise<string[]> => {
  const sites = (await Promise.all(RECORD_FOLDERS.map((place) => listSites(host, place)))).flat()
  if (sites.length === 0) return []
  try {
    await provideSharedEtc(host)
    const known = await readAccountNames(host)
    // A site that was interrupted has a record before its user; its removal removes the files.
    const users = sites.map(({ user }) => user).filter((user) => known.has(user))
    await writeAccounts(host, ...users)
    return []
  } catch (error) {
    return [`The /etc of sites was not prepared: ${String(error)}`]
  }
}, [])
