import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { AppWindow, ExternalLink, LogIn, Star } from 'lucide-react'
import { siteQuery, takeAction } from '#dashboard/web/api/sites.ts'
import { needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { SITE_TABS, type SiteTab, siteTabs } from '#dashboard/web/features/sites/site-search.ts'
import { isWordpress, urlsOf } from '#dashboard/web/features/sites/urls.ts'
import { useLogin } from '#dashboard/web/pages/wordpress/login/use-login.ts'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { SiteActionType } from '#shared/operation-types.ts'
import type { Entry } from './use-entries.ts'

/** What else finds a tab: the names of the cards in it. */
const WORDS: Partial<Record<SiteTab, string>> = {
  domains:
    'aliases redirects certificate tls https dns password visitors maintenance cdn security headers csp hsts',
  wordpress: 'plugins themes updates scan xmlrpc',
  jobs: 'cron schedule events',
  database: 'tables mysql mariadb slow queries',
  backups: 'restore',
  php: 'version tier memory upload limits page object cache redis valkey',
  mail: 'relay smtp queue',
  access: 'sftp ssh shell keys people password clients',
  metrics: 'requests traffic cpu disk charts numbers',
  logs: 'debug wp_debug notices errors',
}

/** On the page of a managed site: its tabs, and what can be done to it by its name alone. */
export function useSiteEntries(): Entry[] {
  const navigate = useNavigate()
  const { site_id } = useParams({ strict: false })
  // The page has requested it.
  const { data: site } = useQuery({ ...siteQuery(Number(site_id ?? 0)), enabled: false })
  const { mutate } = useMutation({
    mutationFn: (type: SiteActionType) => {
      if (!site) throw new Error('The site is not loaded')
      return takeAction(site, type)
    },
    onSuccess: (message) => toast(message),
    onError: toastError,
  })
  const login = useLogin(site, (error) => {
    if (!site_id || !needsConfirmation(error)) return toastError(error)
    void navigate({ to: '/sites/$site_id', params: { site_id }, search: { login: true } })
  })
  if (!site_id || !site || site.found) return []
  const isOnServer = site.status === 'active' || site.status === 'suspended'
  const actions = ACTIONS.filter(({ state = site.status }) => isOnServer && state === site.status)
  const tabs = siteTabs.filter((tab) => tab !== 'wordpress' || isWordpress(site))
  return [
    ...actions.map(({ type, name, icon }) => ({
      id: `action ${type}`,
      name,
      icon,
      words: 'this site',
      act: () => mutate(type),
    })),
    {
      id: 'visit site',
      name: 'Visit site',
      icon: ExternalLink,
      words: 'open this site browser',
      act: () => void window.open(urlsOf(site).home, '_blank', 'noreferrer'),
    },
    ...(site.status === 'active' && isWordpress(site) && !isDemo
      ? [
          {
            id: 'wordpress login',
            name: 'Log in to WordPress',
            icon: LogIn,
            words: 'this site admin open',
            act: () => login.mutate({ user_id: null }),
          },
        ]
      : []),
    ...(site.status === 'active'
      ? [
          {
            id: 'primary domain',
            name: 'Change primary domain',
            icon: Star,
            words: 'this site rename address',
            act: () =>
              void navigate({
                to: '/sites/$site_id',
                params: { site_id },
                search: { tab: 'domains', primary: true },
              }),
          },
        ]
      : []),
    ...tabs.map((tab) => ({
      id: `tab ${tab}`,
      name: SITE_TABS[tab],
      more: 'tab',
      icon: AppWindow,
      words: `this site go to ${WORDS[tab] ?? ''}`,
      act: () =>
        void navigate({
          to: '/sites/$site_id',
          params: { site_id },
          search: tab === 'overview' ? {} : { tab },
        }),
    })),
  ]
}
