import {
  Activity,
  Archive,
  BookOpen,
  Gauge,
  Globe,
  ListChecks,
  type LucideIcon,
  Server,
  Settings,
  Trash2,
  Users,
} from 'lucide-react'
import type { May, Where } from '#dashboard/web/ui/rights.tsx'

interface Place {
  to: string
  name: string
  icon: LucideIcon
  /** `g` and this key lead there. */
  key: string
  /** Where the page needs the right to read; a page without it needs no right. */
  where?: Where
}

/** The main pages, in the order of the menu. */
const PLACES = [
  { to: '/', name: 'Overview', icon: Gauge, key: 'o', where: 'anywhere' },
  { to: '/servers', name: 'Servers', icon: Server, key: 's', where: 'servers' },
  { to: '/sites', name: 'Sites', icon: Globe, key: 'w', where: 'anywhere' },
  { to: '/operations', name: 'Operations', icon: ListChecks, key: 'p', where: 'anywhere' },
  { to: '/backups', name: 'Backups', icon: Archive, key: 'b', where: 'anywhere' },
  { to: '/people', name: 'People', icon: Users, key: 'e', where: 'fleet' },
  { to: '/trash', name: 'Trash', icon: Trash2, key: 't', where: 'anywhere' },
  { to: '/activity', name: 'Activity', icon: Activity, key: 'a', where: 'anywhere' },
  { to: '/settings', name: 'Settings', icon: Settings, key: ',', where: 'fleet' },
  { to: '/docs', name: 'API', icon: BookOpen, key: 'd' },
] as const satisfies Place[]

/** Returns the main pages that show something to the user. */
export const placesFor = (may: May) =>
  PLACES.filter((place) => !('where' in place) || may('read', place.where))
