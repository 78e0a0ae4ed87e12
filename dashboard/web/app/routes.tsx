import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, Outlet } from '@tanstack/react-router'
import { sitesSearch } from '#dashboard/web/features/sites/search.ts'
import { readSiteSearch } from '#dashboard/web/features/sites/site-search.ts'
import { activitySearch } from '#dashboard/web/pages/activity/search.ts'
import { backupsSearch } from '#dashboard/web/pages/backups/search.ts'
import { readDocsSearch } from '#dashboard/web/pages/docs/search.ts'
import { readLoginSearch, readSsoSearch } from '#dashboard/web/pages/login/search.ts'
import { bulkSearch } from '#dashboard/web/pages/operations/bulk/search.ts'
import { operationsSearch } from '#dashboard/web/pages/operations/list/search.ts'
import { readServerSearch } from '#dashboard/web/pages/servers/detail/search.ts'
import { serversSearch } from '#dashboard/web/pages/servers/list/search.ts'
import { readCreateSearch } from '#dashboard/web/pages/sites/create/search.ts'
import { noSearch, only } from '#dashboard/web/ui/address.ts'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { lazyPage } from './lazy-page.ts'
import { requireSession, requireUser } from './require-user.ts'
import { Shell } from './shell.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()({ component: Outlet })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: only(readLoginSearch),
  component: lazyPage(() => import('#dashboard/web/pages/login/login.tsx'), 'LoginPage'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  validateSearch: noSearch,
  component: lazyPage(
    () => import('#dashboard/web/pages/invitation/invitation.tsx'),
    'InvitationPage',
  ),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  validateSearch: noSearch,
  component: lazyPage(() => import('#dashboard/web/pages/login/reset.tsx'), 'ResetPage'),
})

const sso = createRoute({
  getParentRoute: () => root,
  path: '/sso/$provider',
  validateSearch: only(readSsoSearch),
  component: lazyPage(() => import('#dashboard/web/pages/login/sso.tsx'), 'SsoPage'),
})
const secondFactor = createRoute({
  getParentRoute: () => root,
  path: '/second-factor',
  validateSearch: noSearch,
  beforeLoad: ({ context: { client } }) => requireSession(client),
  component: lazyPage(
    () => import('#dashboard/web/pages/second-factor/second-factor.tsx'),
    'SecondFactorPage',
  ),
})

/** All pages for a signed-in user, who is requested first. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: ({ context: { client }, location }) => requireUser(client, location.href),
})

/** A page whose address has no parameters. */
const plain = { getParentRoute: () => inside, validateSearch: noSearch } as const

const overview = createRoute({
  ...plain,
  path: '/',
  component: lazyPage(() => import('#dashboard/web/pages/overview/overview.tsx'), 'OverviewPage'),
})

const servers = createRoute({
  getParentRoute: () => inside,
  path: '/servers',
  validateSearch: serversSearch,
  component: lazyPage(() => import('#dashboard/web/pages/servers/list/servers.tsx'), 'ServersPage'),
})

const addServer = createRoute({
  ...plain,
  path: '/servers/new',
  component: lazyPage(
    () => import('#dashboard/web/pages/servers/list/add-server.tsx'),
    'AddServerPage',
  ),
})

const server = createRoute({
  getParentRoute: () => inside,
  path: '/servers/$server_id',
  validateSearch: only(readServerSearch),
  component: lazyPage(() => import('#dashboard/web/pages/servers/detail/server.tsx'), 'ServerPage'),
})

const lostServer = createRoute({
  ...plain,
  path: '/servers/$server_id/lost',
  component: lazyPage(
    () => import('#dashboard/web/pages/servers/lost/lost-server.tsx'),
    'LostServerPage',
  ),
})

const sites = createRoute({
  getParentRoute: () => inside,
  path: '/sites',
  validateSearch: sitesSearch,
  component: lazyPage(() => import('#dashboard/web/pages/sites/list/sites.tsx'), 'SitesPage'),
})

const createSite = createRoute({
  getParentRoute: () => inside,
  path: '/sites/new',
  validateSearch: only(readCreateSearch),
  component: lazyPage(
    () => import('#dashboard/web/pages/sites/create/create-site.tsx'),
    'CreateSitePage',
  ),
})

const site = createRoute({
  getParentRoute: () => inside,
  path: '/sites/$site_id',
  validateSearch: only(readSiteSearch),
  component: lazyPage(() => import('#dashboard/web/pages/sites/detail/site.tsx'), 'SitePage'),
})

const operations = createRoute({
  getParentRoute: () => inside,
  path: '/operations',
  validateSearch: operationsSearch,
  component: lazyPage(
    () => import('#dashboard/web/pages/operations/list/operations.tsx'),
    'OperationsPage',
  ),
})

const bulk = createRoute({
  getParentRoute: () => inside,
  path: '/operations/bulk/$bulk_id',
  validateSearch: bulkSearch,
  component: lazyPage(() => import('#dashboard/web/pages/operations/bulk/bulk.tsx'), 'BulkPage'),
})

const operation = createRoute({
  ...plain,
  path: '/operations/$operation_id',
  component: lazyPage(
    () => import('#dashboard/web/pages/operations/detail/operation.tsx'),
    'OperationPage',
  ),
})

const backups = createRoute({
  getParentRoute: () => inside,
  path: '/backups',
  validateSearch: backupsSearch,
  component: lazyPage(() => import('#dashboard/web/pages/backups/backups.tsx'), 'BackupsPage'),
})

const people = createRoute({
  ...plain,
  path: '/people',
  component: lazyPage(() => import('#dashboard/web/pages/people/people.tsx'), 'PeoplePage'),
})

const person = createRoute({
  ...plain,
  path: '/people/$person_id',
  component: lazyPage(() => import('#dashboard/web/pages/people/person.tsx'), 'PersonPage'),
})

const trash = createRoute({
  ...plain,
  path: '/trash',
  component: lazyPage(() => import('#dashboard/web/pages/trash/trash.tsx'), 'TrashPage'),
})

const activity = createRoute({
  getParentRoute: () => inside,
  path: '/activity',
  validateSearch: activitySearch,
  component: lazyPage(() => import('#dashboard/web/pages/activity/activity.tsx'), 'ActivityPage'),
})

const settings = createRoute({
  ...plain,
  path: '/settings',
  component: lazyPage(() => import('#dashboard/web/pages/settings/settings.tsx'), 'SettingsPage'),
})

const account = createRoute({
  ...plain,
  path: '/account',
  component: lazyPage(() => import('#dashboard/web/pages/account/account.tsx'), 'AccountPage'),
})

const yourSites = createRoute({
  ...plain,
  path: '/your-sites',
  component: lazyPage(() => import('#dashboard/web/pages/clients/your-sites.tsx'), 'YourSitesPage'),
})

const yourSite = createRoute({
  ...plain,
  path: '/your-sites/$site_id',
  component: lazyPage(() => import('#dashboard/web/pages/clients/your-site.tsx'), 'YourSitePage'),
})

const docs = createRoute({
  getParentRoute: () => inside,
  path: '/docs',
  validateSearch: only(readDocsSearch),
  component: lazyPage(() => import('#dashboard/web/pages/docs/docs.tsx'), 'DocsPage'),
})

const components = createRoute({
  ...plain,
  path: '/docs/components',
  component: lazyPage(
    () => import('#dashboard/web/pages/components/components.tsx'),
    'ComponentsPage',
  ),
})

const unknown = createRoute({ ...plain, path: '$', component: NotFound })

export const routeTree = root.addChildren([
  login,
  invitation,
  reset,
  sso,
  secondFactor,
  inside.addChildren([
    overview,
    servers,
    addServer,
    server,
    lostServer,
    sites,
    createSite,
    site,
    operations,
    bulk,
    operation,
    backups,
    people,
    person,
    trash,
    activity,
    settings,
    account,
    yourSites,
    yourSite,
    docs,
    components,
    unknown,
  ]),
])
