import type { AnswerOf, BodyOf, NamesIn, QueryOf } from '#dashboard/http/route.ts'
import { accessRoutes } from './access/routes.ts'
import { activityRoutes } from './activity/routes.ts'
import { notificationRoutes } from './alerts/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { bulkRoutes } from './bulk/routes.ts'
import { copyRoutes } from './copies/routes.ts'
import { dnsRoutes } from './dns/routes.ts'
import { domainRoutes } from './domains/routes.ts'
import { logRoutes } from './logs/routes.ts'
import { lostServerRoutes } from './lost/routes.ts'
import { serverMailRoutes, siteMailRoutes } from './mail/routes.ts'
import { historyRoutes } from './metrics/routes.ts'
import { moveRoutes } from './moves/routes.ts'
import { numbersRoutes } from './numbers/routes.ts'
import { objectCacheRoutes } from './object-cache/routes.ts'
import { offSiteRoutes } from './off-site/routes.ts'
import { healthRoutes, openApiRoutes } from './openapi/routes.ts'
import { operationRoutes } from './operations/routes.ts'
import { fleetRoutes } from './overview/routes.ts'
import { restoredRoutes } from './restored/routes.ts'
import { serverRoutes } from './servers/routes.ts'
import { serverWorkRoutes } from './servers/work.routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { backupFileRoutes } from './site-backups/file-routes.ts'
import { foundBackupRoutes } from './site-backups/found/routes.ts'
import { backupRoutes } from './site-backups/routes.ts'
import { siteBackupRoutes } from './site-backups/site-routes.ts'
import { siteDatabaseRoutes } from './site-database/routes.ts'
import { siteJobRoutes } from './site-jobs/routes.ts'
import { siteSettingsRoutes } from './site-settings/routes.ts'
import { siteActionRoutes } from './sites/actions.routes.ts'
import { derivedRoutes } from './sites/derived.routes.ts'
import { ignoreRoutes } from './sites/ignore/routes.ts'
import { siteRoutes } from './sites/routes.ts'
import { trashRoutes } from './sites/trash/routes.ts'
import { keyRoutes } from './trust/keys/routes.ts'
import { downloadRoutes, trustRoutes } from './trust/routes.ts'
import { wordpressLoginRoutes } from './wp-login/routes.ts'

/** Every route of the dashboard but its pages, by subject and by the name that generated clients use. */
export const SUBJECTS = {
  Authentication: { about: 'Sessions, passwords and API tokens.', routes: authRoutes },
  Fleet: {
    about: 'All servers and sites at a glance, as pages need them.',
    routes: { ...fleetRoutes, ...restoredRoutes },
  },
  Servers: {
    about: 'Machines that sites run on, and the trust between them and this dashboard.',
    routes: {
      ...serverRoutes,
      ...serverWorkRoutes,
      ...lostServerRoutes,
      ...serverMailRoutes,
      ...historyRoutes,
      ...numbersRoutes,
      ...trustRoutes,
    },
  },
  Sites: {
    about: 'Web sites on a server, from their creation to the trash.',
    routes: {
      ...siteRoutes,
      ...siteActionRoutes,
      ...derivedRoutes,
      ...ignoreRoutes,
      ...siteMailRoutes,
      ...copyRoutes,
      ...siteSettingsRoutes,
      ...siteJobRoutes,
      ...siteDatabaseRoutes,
      ...wordpressLoginRoutes,
      ...objectCacheRoutes,
      ...logRoutes,
      ...domainRoutes,
      ...moveRoutes,
    },
  },
  People: {
    about: 'Who may log in to sites by SFTP, and with which keys.',
    routes: accessRoutes,
  },
  Backups: {
    about: 'Backups of sites and of the dashboard: their targets, the recovery kit, and restores.',
    routes: {
      ...backupRoutes,
      ...siteBackupRoutes,
      ...backupFileRoutes,
      ...foundBackupRoutes,
      ...offSiteRoutes,
    },
  },
  DNS: {
    about: 'Accounts at Cloudflare, and the records of names of sites there.',
    routes: dnsRoutes,
  },
  Trash: { about: 'Sites that were deleted, until they are purged.', routes: trashRoutes },
  Operations: {
    about: 'Work on a server or a site, stored with its events.',
    routes: operationRoutes,
  },
  'Bulk operations': { about: 'The same for many sites or servers.', routes: bulkRoutes },
  Activity: { about: 'What was done, and by whom.', routes: activityRoutes },
  Settings: {
    about: 'What holds for the whole dashboard.',
    routes: { ...settingsRoutes, ...notificationRoutes },
  },
  Keys: { about: 'What this dashboard signs its requests to agents with.', routes: keyRoutes },
  Service: {
    about: 'The dashboard itself.',
    routes: { ...healthRoutes, ...downloadRoutes, ...openApiRoutes },
  },
}

type Subjects = typeof SUBJECTS
type RoutesOf<S> = S extends { routes: infer R } ? R[keyof R] : never
type Route = RoutesOf<Subjects[keyof Subjects]>

/** The types of each route by method and path: all that the pages know of it. */
export type Routes = {
  [R in Route as R['at']]: {
    names: NamesIn<R['at']>
    query: QueryOf<R>
    body: BodyOf<R>
    answer: AnswerOf<R>
  }
}

export const ROUTES: readonly Route[] = Object.values(SUBJECTS).flatMap(({ routes }) =>
  Object.values<Route>(routes),
)
