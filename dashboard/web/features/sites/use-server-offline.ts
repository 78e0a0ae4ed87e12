import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { useServerOf } from './use-server.ts'

/** Whether the server of a site is offline: actions that need its agent are disabled then. */
export const useServerOffline = (site: SitePlace): boolean =>
  useServerOf(site)?.status === 'offline'
