import { CloudDownload, Gauge, Lock, type LucideIcon, ScanSearch, Trash2, Zap } from 'lucide-react'
import type { BulkType } from '#shared/api/bulk-operations.ts'
import { type Option, PHP, TIERS, TLS } from './options.ts'

export interface BulkAction {
  type: BulkType
  /** On the button. */
  name: string
  icon: LucideIcon
  /** What it does to each of them. */
  about: string
  /** What is to be chosen for it. */
  param?: { name: string; label: string; options: readonly Option[] }
  isDestructive?: true
}

/** What can be done to all that are selected, in the order of the buttons. */
export const BULK_ACTIONS = [
  {
    type: 'site.scan',
    name: 'Scan for updates',
    icon: ScanSearch,
    about:
      'Reads which versions of WordPress, plugins and themes each of them has. Changes nothing.',
  },
  {
    type: 'pool.apply',
    name: 'Change tier',
    icon: Gauge,
    about: 'Gives each of them the memory and the PHP processes of the tier. Takes a moment each.',
    param: { name: 'tier', label: 'Tier', options: TIERS },
  },
  {
    type: 'site.update',
    name: 'Change PHP',
    icon: CloudDownload,
    about:
      'Moves each of them to this version. Sites on servers without it fail and stay as they are.',
    param: { name: 'php', label: 'PHP version', options: PHP },
  },
  {
    type: 'tls.issue',
    name: 'Change TLS',
    icon: Lock,
    about: 'Issues or renews the certificate of each of them, or takes it away.',
    param: { name: 'tls', label: 'Certificate', options: TLS },
  },
  {
    type: 'cache.purge',
    name: 'Purge cache',
    icon: Zap,
    about:
      'Empties the page cache of each of them. The next visits are slower until it is full again.',
  },
  {
    type: 'site.delete',
    name: 'Delete',
    icon: Trash2,
    about:
      'Takes each of them offline and moves it to the trash of its server. It can be restored from there until its time is over.',
    isDestructive: true,
  },
] as const satisfies BulkAction[]
