import { groupRoutes } from '#dashboard/features/access/accounts/group-routes.ts'
import { accountRoutes } from '#dashboard/features/access/accounts/routes.ts'
import { serviceAccountRoutes } from '#dashboard/features/access/accounts/service-routes.ts'
import { policyRoutes } from '#dashboard/features/access/policy/routes.ts'
import { accessRoutes } from '#dashboard/features/access/routes.ts'
import { ssoRoutes } from '#dashboard/features/access/sso/routes.ts'
import { notificationRoutes } from '#dashboard/features/alerts/routes.ts'
import { backupFileRoutes } from '#dashboard/features/backups/file-routes.ts'
import { foundBackupRoutes } from '#dashboard/features/backups/found/routes.ts'
import { offSiteRoutes } from '#dashboard/features/backups/off-site/routes.ts'
import { backupRoutes } from '#dashboard/features/backups/routes.ts'
import { siteBackupRoutes } from '#dashboard/features/backups/site-routes.ts'
import { clientRoutes } from '#dashboard/features/clients/routes.ts'
import { copyRoutes } from '#dashboard/features/copies/routes.ts'
import { siteDatabaseRoutes } from '#dashboard/features/database/routes.ts'
import { dnsRoutes } from '#dashboard/features/domains/dns/routes.ts'
import { domainRoutes } from '#dashboard/features/domains/routes.ts'
import { siteJobRoutes } from '#dashboard/features/jobs/routes.ts'
import { logRoutes } from '#dashboard/features/logs/routes.ts'
import { serverMailRoutes, siteMailRoutes } from '#dashboard/features/mail/routes.ts'
import { numbersRoutes } from '#dashboard/features/metrics/numbers/routes.ts'
import { historyRoutes } from '#dashboard/features/metrics/routes.ts'
import { moveRoutes } from '#dashboard/features/moves/routes.ts'
import { objectCacheRoutes } from '#dashboard/features/object-cache/routes.ts'
import { healthRoutes, openApiRoutes } from '#dashboard/features/openapi/routes.ts'
import { fleetRoutes } from '#dashboard/features/overview/routes.ts'
import { lostServerRoutes } from '#dashboard/features/recovery/lost/routes.ts'
import { restoredRoutes } from '#dashboard/features/recovery/routes.ts'
import {
  brandingRoutes,
  recipientRoutes,
  reportRoutes,
} from '#dashboard/features/reports/routes.ts'
import { serverRoutes } from '#dashboard/features/servers/routes.ts'
import { serverWorkRoutes } from '#dashboard/features/servers/work.routes.ts'
import { settingsRoutes } from '#dashboard/features/settings/routes.ts'
import { siteActionRoutes } from '#dashboard/features/sites/actions.routes.ts'
import { derivedRoutes } from '#dashboard/features/sites/derived.routes.ts'
import { ignoreRoutes } from '#dashboard/features/sites/ignore/routes.ts'
import { siteRoutes } from '#dashboard/features/sites/routes.ts'
import { siteSettingsRoutes } from '#dashboard/features/sites/settings/routes.ts'
import { trashRoutes } from '#dashboard/features/sites/trash/routes.ts'
import { wordpressLoginRoutes } from '#dashboard/features/wordpress/routes.ts'
import { activityRoutes } from '#dashboard/kernel/activity/routes.ts'
import { passkeyRoutes } from '#dashboard/kernel/auth/passkey-routes.ts'
import { authRoutes } from '#dashboard/kernel/auth/routes.ts'
import { bulkRoutes } from '#dashboard/kernel/bulk/routes.ts'
import { operationRoutes } from '#dashboard/kernel/engine/routes.ts'
import type { AnswerOf, BodyOf, NamesIn, QueryOf } from '#dashboard/kernel/http/route.ts'
import { keyRoutes } from '#dashboard/kernel/trust/keys/routes.ts'
import { downloadRoutes, trustRoutes } from '#dashboard/kernel/trust/routes.ts'

/** Every route of the dashboard but its pages, by subject and by the name that generated clients use. */
export const SUBJECTS = {
  Authentication: {
    about: 'Sessions, passwords, second factors, logins at identity providers, and API tokens.',
    routes: { ...authRoutes, ...passkeyRoutes, ...ssoRoutes },
  },
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
      ...reportRoutes,
    },
  },
  People: {
    about:
      'Who may log in to sites by SFTP and with which keys, and to this dashboard with which role.',
    routes: {
      ...accessRoutes,
      ...accountRoutes,
      ...serviceAccountRoutes,
      ...groupRoutes,
      ...policyRoutes,
    },
  },
  Clients: {
    about: 'What the clients of an agency see of their sites, without servers, and may do there.',
    routes: clientRoutes,
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
    routes: { ...settingsRoutes, ...notificationRoutes, ...brandingRoutes, ...recipientRoutes },
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
