import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { startLogin } from '#dashboard/web/api/wp-login.ts'
import { openLoginTab } from '#dashboard/web/handoff/open-tab.ts'

/**
 * Logs in to the WordPress of a site in a new tab; must be called by the handler of a click or a key.
 * `user_id` null: as the first administrator. `confirm` sends the password of the dashboard, if it is
 * needed.
 */
export async function logIn(
  site: SitePlace,
  user_id: number | null,
  confirm?: () => Promise<void>,
): Promise<void> {
  const tab = openLoginTab()
  try {
    await confirm?.()
    await tab.send(await startLogin(site, user_id))
  } catch (error) {
    tab.close()
    throw error
  }
}
