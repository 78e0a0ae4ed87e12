import type { Site } from '#dashboard/web/api/sites.ts'

/** What each tab of a site is given. */
export interface TabProps {
  site: Site
  /** Whether the site is on its server, so that it can be changed. */
  isOnServer: boolean
}
