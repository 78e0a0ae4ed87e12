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

interface Place {
  to: string
  name: string
  icon: LucideIcon
  /** `g` and this key lead there. */
  key: string
}

/** The main pages, in the order of the menu. */
export const PLACES = [
  { to: '/', name: 'Overview', icon: Gauge, key: 'o' },
  { to: '/servers', name: 'Servers', icon: Server, key: 's' },
  { to: '/sites', name: 'Sites', icon: Globe, key: 'w' },
  { to: '/operations', name: 'Operations', icon: ListChecks, key: 'p' },
  { to: '/backups', name: 'Backups', icon: Archive, key: 'b' },
  { to: '/people', name: 'People', icon: Users, key: 'e' },
  { to: '/trash', name: 'Trash', icon: Trash2, key: 't' },
  { to: '/activity', name: 'Activity', icon: Activity, key: 'a' },
  { to: '/settings', name: 'Settings', icon: Settings, key: ',' },
  { to: '/docs', name: 'API', icon: BookOpen, key: 'd' },
] as const satisfies Place[]
