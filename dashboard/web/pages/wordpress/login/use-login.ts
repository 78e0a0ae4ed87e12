import { useMutation } from '@tanstack/react-query'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { confirmPassword, startLogin } from '#dashboard/web/api/wp-login.ts'
import { openLoginTab } from '#dashboard/web/handoff/open-tab.ts'

interface Login {
  /** The id of the WordPress user to log in as; null for the first administrator. */
  user_id: number | null
  /** The password of the dashboard user, if it must be confirmed. */
  password?: string | undefined
}

/**
 * Logs in to the WordPress of a site in a new tab; to be called by the handler of a click or a key.
 * `onError` is also called if the component is gone by then.
 */
export function useLogin(site: SitePlace | undefined, onError?: (error: Error) => void) {
  return useMutation({
    ...(onError && { onError }),
    mutationFn: async ({ user_id, password }: Login) => {
      if (!site) throw new Error('The site is not loaded')
      const tab = openLoginTab()
      try {
        if (password !== undefined) await confirmPassword(password)
        await tab.send(await startLogin(site, user_id))
      } catch (error) {
        tab.close()
        throw error
      }
    },
  })
}
