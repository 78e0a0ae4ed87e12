import { useMutation } from '@tanstack/react-query'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { confirmPassword, startLogin } from '#dashboard/web/api/wp-login.ts'
import { openLoginTab } from '#dashboard/web/handoff/open-tab.ts'

interface Login {
  /** Null: the first administrator. */
  user_id: number | null
  /** Of the user of the dashboard, if it must be confirmed. */
  password?: string | undefined
}

/** Logs in to the WordPress of a site in a new tab; to be called by the handler of a click. */
export function useLogin(site: SitePlace) {
  return useMutation({
    mutationFn: async ({ user_id, password }: Login) => {
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
