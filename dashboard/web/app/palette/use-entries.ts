import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import {
  AppWindow,
  CircleUser,
  ExternalLink,
  Globe,
  Keyboard,
  LogIn,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  RefreshCw,
  Server,
  Star,
  Sun,
} from 'lucide-react'
import { useDeferredValue } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { syncServer } from '#dashboard/web/api/servers.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { siteQuery, takeAction, typedSitesQuery } from '#dashboard/web/api/sites.ts'
import { needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { placesFor } from '#dashboard/web/app/navigation.ts'
import { chooseTheme, type Theme } from '#dashboard/web/app/theme-choice.ts'
import { ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { SITE_TABS, type SiteTab, siteTabs } from '#dashboard/web/features/sites/site-search.ts'
import { isWordpress, urlsOf } from '#dashboard/web/features/sites/urls.ts'
import { logIn } from '#dashboard/web/pages/wordpress/login/log-in.ts'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { placeOf, useMay, type Where } from '#dashboard/web/ui/rights.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { useAction } from '#dashboard/web/ui/use-call.ts'
import type { Right } from '#shared/kernel/rights.ts'
import { searchWords } from '#shared/kernel/search-words.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { OPERATION_TYPES, type SiteActionType } from '#shared/operation-types.ts'

const MAX_SERVERS = 8
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon }

/** The entries that match the text, in groups; without a text, pages and actions. */
export function useEntries(text: string, onHelp: () => void): { groups: Group[]; busy: boolean } {
  const may = useMay()
  const sites = useFoundSites(text)
  const servers = useServers(text)
  const pages = usePages()
  const site = useSiteEntries()
  const actions = useActions(onHelp).filter((entry) => isFound(entry, text))
  // Requested results come last, so that they do not move an entry that is about to be chosen.
  const groups = [
    { value: 'This site', items: site.filter((entry) => isFound(entry, text)) },
    { value: 'Pages', items: pages.filter((entry) => isFound(entry, text)) },
    { value: 'Servers', items: servers.places },
    { value: 'Sites', items: sites.entries },
    { value: 'Actions', items: [...actions, ...servers.actions] },
  ]
  const offered = groups.map(({ value, items }) => ({
    value,
    items: items.filter(({ needs, where }) => may(needs, where)),
  }))
  return { groups: offered.filter(({ items }) => items.length > 0), busy: sites.busy }
}

function usePages(): Entry[] {
  const navigate = useNavigate()
  const may = useMay()
  const places = placesFor(may).map(({ to, name, icon, key }) => ({
    id: `page ${to}`,
    name,
    more: `g ${key}`,
    icon,
    words: 'go to page',
    act: () => void navigate({ to }),
  }))
  const account = {
    id: 'page /account',
    name: 'Account',
    icon: CircleUser,
    words: 'go to page password tokens',
    act: () => void navigate({ to: '/account' }),
  }
  return [...places, account]
}

function useActions(onHelp: () => void): Entry[] {
  const navigate = useNavigate()
  const themes = (['light', 'dark', 'system'] as const satisfies Theme[]).map((theme) => ({
    id: `theme ${theme}`,
    name: `Theme: ${theme}`,
    icon: THEME_ICONS[theme],
    words: 'change colours appearance mode',
    act: () => chooseTheme(theme),
  }))
  return [
    {
      id: 'create site',
      name: 'Create site',
      more: 'c',
      icon: Plus,
      words: 'new add wordpress',
      needs: 'operate',
      where: 'servers',
      act: () => void navigate({ to: '/sites/new' }),
    },
    {
      id: 'add server',
      needs: 'admin',
      name: 'Add server',
      icon: Plus,
      words: 'new create register',
      act: () => void navigate({ to: '/servers/new' }),
    },
    ...themes,
    {
      id: 'help',
      name: 'Keyboard shortcuts',
      more: '?',
      icon: Keyboard,
      words: 'help',
      act: onHelp,
    },
  ]
}

/** From memory: the overview has the whole list. */
function useServers(text: string) {
  const may = useMay()
  const isSearched = text !== '' && may('read', 'servers')
  const { data } = useQuery({ ...fleetQuery, enabled: isSearched })
  const navigate = useNavigate()
  const sync = useSync()
  if (!isSearched) return { places: [], actions: [] }
  const places = (data?.servers ?? []).map(
    ({ id, name, hostname, tags }): Entry => ({
      id: `server ${id}`,
      name,
      more: hostname,
      icon: Server,
      words: tags.join(' '),
      act: () => void navigate({ to: '/servers/$server_id', params: { server_id: String(id) } }),
    }),
  )
  const actions = (data?.servers ?? []).map(
    ({ id, name }): Entry => ({
      id: `sync ${id}`,
      name: `Sync ${name}`,
      icon: RefreshCw,
      words: 'server refresh',
      needs: OPERATION_TYPES['server.sync'].right,
      where: { server_id: id },
      act: () => sync(id),
    }),
  )
  const found = (entries: Entry[]) =>
    entries.filter((entry) => isFound(entry, text)).slice(0, MAX_SERVERS)
  return { places: found(places), actions: found(actions) }
}

/** Starts a sync and opens its page. */
function useSync() {
  const openOperation = useOpenOperation()
  const { mutate } = useMutation({
    mutationFn: syncServer,
    onSuccess: openOperation,
    onError: toastError,
  })
  return mutate
}

/** One thing that the palette leads to or does. */
export interface Entry {
  id: string
  name: string
  /** Shown beside the name: its place, or the keys that do the same. */
  more?: string | undefined
  icon: LucideIcon
  /** Further words that find it. */
  words?: string
  /** The right that it needs: without it, it is not offered. */
  needs?: Right
  /** Where it needs the right; default: in the whole fleet. */
  where?: Where
  act: () => void
}

export interface Group {
  value: string
  items: Entry[]
}

/** Returns whether an entry contains each word of the text. */
function isFound({ name, more = '', words = '' }: Entry, text: string): boolean {
  const all = `${name} ${more} ${words}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

const MAX_SITES = 8
const MIN_TEXT = 2

/** Sites whose domain contains the text, requested after a pause in typing. */
function useFoundSites(text: string): { entries: Entry[]; busy: boolean } {
  const navigate = useNavigate()
  const requested = useDeferredValue(text)
  const may = useMay()
  const isSearched = requested.length >= MIN_TEXT && may('read', 'anywhere')
  const { data, isFetching, isPlaceholderData } = useQuery({
    ...typedSitesQuery(requested, { most: MAX_SITES, pause_ms: 120 }),
    enabled: isSearched,
  })
  // Until the answer arrives, previous results that match are shown.
  const isOld = isPlaceholderData || requested !== text
  const found = isSearched ? (data?.sites ?? []) : []
  const words = searchWords(text)
  const matches = (domain: string) =>
    words.every((word) => domain.includes(word) || unicodeOf(domain).includes(word))
  const sites = isOld ? found.filter(({ domain }) => matches(domain)) : found
  const entries = sites.map(({ id, domain, server, found }) => ({
    id: `site ${id}`,
    name: unicodeOf(domain),
    more: found ? `${server}, not managed` : server,
    icon: Globe,
    act: () => void navigate({ to: '/sites/$site_id', params: { site_id: String(id) } }),
  }))
  return { entries, busy: isSearched && isFetching }
}

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
function useSiteEntries(): Entry[] {
  const navigate = useNavigate()
  const { site_id } = useParams({ strict: false })
  // The page has requested it.
  const { data: site } = useQuery({ ...siteQuery(Number(site_id ?? 0)), enabled: false })
  const action = useAction(
    ({ of, type }: { of: SitePlace; type: SiteActionType }) => takeAction(of, type),
    { done: (message) => message },
  )
  const login = useMutation({
    mutationFn: (of: SitePlace) => logIn(of, null),
    onError: (error) => {
      if (!site_id || !needsConfirmation(error)) return toastError(error)
      void navigate({ to: '/sites/$site_id', params: { site_id }, search: { login: true } })
    },
  })
  if (!site_id || !site || site.found) return []
  const where = placeOf(site)
  const isOnServer = site.status === 'active' || site.status === 'suspended'
  const actions = ACTIONS.filter(({ state = site.status }) => isOnServer && state === site.status)
  const tabs = siteTabs.filter((tab) => tab !== 'wordpress' || isWordpress(site))
  return [
    ...actions.map(({ type, name, icon }) => ({
      id: `action ${type}`,
      name,
      icon,
      words: 'this site',
      needs: OPERATION_TYPES[type].right,
      where,
      act: () => action.run({ of: site, type }),
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
            needs: OPERATION_TYPES['wp.login'].right,
            where,
            act: () => login.mutate(site),
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
            needs: OPERATION_TYPES['site.rename'].right,
            where,
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
