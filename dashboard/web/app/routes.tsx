import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { ApiError } from '../api/client.ts'
import { meQuery } from '../api/session.ts'
import { readActivitySearch } from '../pages/activity/search.ts'
import { readBulkSearch } from '../pages/bulk/search.ts'
import { readDocsSearch } from '../pages/docs/search.ts'
import { readOperationsSearch } from '../pages/operations/search.ts'
import { readServerSearch } from '../pages/server/search.ts'
import { readServersSearch } from '../pages/servers/search.ts'
import { readSiteSearch } from '../pages/site/search.ts'
import { readCreateSearch } from '../pages/sites/create/search.ts'
import { readSitesSearch } from '../pages/sites/search.ts'
import { lazyPage } from './lazy-page.ts'
import { NotFound } from './not-found.tsx'
import { rememberFor } from './remembered.ts'
import { Shell } from './shell.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()({ component: Outlet })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    typeof to === 'string' && /^\/(?!\/)/.test(to) ? { to } : {},
  component: lazyPage(() => import('../pages/login/login.tsx'), 'LoginPage'),
})

/** All but the login: asks who is signed in first. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ context: { client }, location }) => {
    const user = await client.ensureQueryData(meQuery).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.status === 401)) throw error
      throw redirect({ to: '/login', search: location.href === '/' ? {} : { to: location.href } })
    })
    rememberFor(user.id)
  },
})

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyPage(() => import('../pages/overview/overview.tsx'), 'OverviewPage'),
})

const servers = createRoute({
  getParentRoute: () => inside,
  path: '/servers',
  validateSearch: readServersSearch,
  component: lazyPage(() => import('../pages/servers/servers.tsx'), 'ServersPage'),
})

const addServer = createRoute({
  getParentRoute: () => inside,
  path: '/servers/new',
  component: lazyPage(() => import('../pages/servers/add-server.tsx'), 'AddServerPage'),
})

const server = createRoute({
  getParentRoute: () => inside,
  path: '/servers/$server_id',
  validateSearch: readServerSearch,
  component: lazyPage(() => import('../pages/server/server.tsx'), 'ServerPage'),
})

const sites = createRoute({
  getParentRoute: () => inside,
  path: '/sites',
  validateSearch: readSitesSearch,
  component: lazyPage(() => import('../pages/sites/sites.tsx'), 'SitesPage'),
})

const createSite = createRoute({
  getParentRoute: () => inside,
  path: '/sites/new',
  validateSearch: readCreateSearch,
  component: lazyPage(() => import('../pages/sites/create/create-site.tsx'), 'CreateSitePage'),
})

const site = createRoute({
  getParentRoute: () => inside,
  path: '/sites/$site_id',
  validateSearch: readSiteSearch,
  component: lazyPage(() => import('../pages/site/site.tsx'), 'SitePage'),
})

const operations = createRoute({
  getParentRoute: () => inside,
  path: '/operations',
  validateSearch: readOperationsSearch,
  component: lazyPage(() => import('../pages/operations/operations.tsx'), 'OperationsPage'),
})

const bulk = createRoute({
  getParentRoute: () => inside,
  path: '/operations/bulk/$bulk_id',
  validateSearch: readBulkSearch,
  component: lazyPage(() => import('../pages/bulk/bulk.tsx'), 'BulkPage'),
})

const operation = createRoute({
  getParentRoute: () => inside,
  path: '/operations/$operation_id',
  component: lazyPage(() => import('../pages/operation/operation.tsx'), 'OperationPage'),
})

const trash = createRoute({
  getParentRoute: () => inside,
  path: '/trash',
  component: lazyPage(() => import('../pages/trash/trash.tsx'), 'TrashPage'),
})

const activity = createRoute({
  getParentRoute: () => inside,
  path: '/activity',
  validateSearch: readActivitySearch,
  component: lazyPage(() => import('../pages/activity/activity.tsx'), 'ActivityPage'),
})

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyPage(() => import('../pages/settings/settings.tsx'), 'SettingsPage'),
})

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyPage(() => import('../pages/account/account.tsx'), 'AccountPage'),
})

const docs = createRoute({
  getParentRoute: () => inside,
  path: '/docs',
  validateSearch: readDocsSearch,
  component: lazyPage(() => import('../pages/docs/docs.tsx'), 'DocsPage'),
})

const components = createRoute({
  getParentRoute: () => inside,
  path: '/docs/components',
  component: lazyPage(() => import('../pages/components/components.tsx'), 'ComponentsPage'),
})

const unknown = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound })

export const routeTree = root.addChildren([
  login,
  inside.addChildren([
    overview,
    servers,
    addServer,
    server,
    sites,
    createSite,
    site,
    operations,
    bulk,
    operation,
    trash,
    activity,
    settings,
    account,
    docs,
    components,
    unknown,
  ]),
])
