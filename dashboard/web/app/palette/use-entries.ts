import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  CircleUser,
  Keyboard,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  RefreshCw,
  Server,
  Sun,
} from 'lucide-react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { syncServer } from '#dashboard/web/api/servers.ts'
import { PLACES } from '#dashboard/web/app/navigation.ts'
import { chooseTheme, type Theme } from '#dashboard/web/app/theme-choice.ts'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { useFoundSites } from './use-found-sites.ts'
import { useSiteEntries } from './use-site-entries.ts'

const MAX_SERVERS = 8
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon }

/** The entries that match the text, in groups; without a text, pages and actions. */
export function useEntries(text: string, onHelp: () => void): { groups: Group[]; busy: boolean } {
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
  return { groups: groups.filter(({ items }) => items.length > 0), busy: sites.busy }
}

function usePages(): Entry[] {
  const navigate = useNavigate()
  const places = PLACES.map(({ to, name, icon, key }) => ({
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
      act: () => void navigate({ to: '/sites/new' }),
    },
    {
      id: 'add server',
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
  const { data } = useQuery({ ...fleetQuery, enabled: text !== '' })
  const navigate = useNavigate()
  const sync = useSync()
  if (text === '') return { places: [], actions: [] }
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
  act: () => void
}

export interface Group {
  value: string
  items: Entry[]
}

/** Whether it contains each word of the text. */
function isFound({ name, more = '', words = '' }: Entry, text: string): boolean {
  const all = `${name} ${more} ${words}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
