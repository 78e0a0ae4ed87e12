import {
  Archive,
  Bug,
  CloudDownload,
  Gauge,
  Lock,
  MemoryStick,
  ScanSearch,
  Table2,
  Trash2,
  UserX,
} from 'lucide-react'
import { ACTIONS as SITE_ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { formatCount } from '#dashboard/web/ui/format.ts'
import type { SiteActionType, SiteBulkType } from '#shared/operation-types.ts'
import { DEBUG_HOURS } from '#shared/wordpress/wp-debug.ts'
import type { BulkAction } from './bulk-action.ts'
import { JOB_ACTIONS } from './job-actions.ts'
import { PHP, TIER_OPTIONS, TLS } from './options.ts'
import { SETTING_ACTIONS } from './setting-actions.ts'

/** The actions for selected sites, in the order of the buttons. */
const ACTIONS: Record<
  Exclude<SiteBulkType, SiteActionType>,
  Omit<BulkAction, 'type'> | readonly Omit<BulkAction, 'type'>[] | null
> = {
  'site.scan': {
    name: 'Scan for updates',
    icon: ScanSearch,
    about:
      'Reads which versions of WordPress, plugins and themes each of them has. Changes nothing.',
  },
  'backup.create': {
    name: 'Back up',
    icon: Archive,
    about: 'Saves the files and the database of each of them in the default backup target.',
  },
  'pool.apply': {
    name: 'Change tier',
    icon: Gauge,
    about: 'Gives each of them the memory and the PHP processes of the tier. Takes a moment each.',
    param: { name: 'tier', label: 'Tier', options: TIER_OPTIONS },
  },
  'site.update': {
    name: 'Change PHP',
    icon: CloudDownload,
    about:
      'Moves each of them to this version. Where it is missing, it is installed if the package sources of the server have it; otherwise the site fails and stays as it is. So does a site whose front page fails with it.',
    param: { name: 'php', label: 'PHP version', options: PHP },
  },
  'site.configure': SETTING_ACTIONS,
  'wp.debug': {
    menu: 'Settings',
    name: 'Debug log',
    icon: Bug,
    about:
      'Switches the debug log of WordPress of each of them on for a time, or off. Visitors do not see it, and it ends automatically.',
    param: {
      name: 'hours',
      label: 'Debug log',
      options: [
        ...DEBUG_HOURS.map((hours) => ({
          value: String(hours),
          name: `on for ${formatCount(hours, 'hour')}`,
        })),
        { value: 'off', name: 'off' },
      ],
      toParam: (value) => (value === 'off' ? null : Number(value)),
    },
  },
  'site.object-cache': {
    menu: 'Settings',
    name: 'Object cache',
    icon: MemoryStick,
    about:
      'Gives WordPress on each of them an object cache in memory, or removes it. A site with an object cache of another plugin fails and stays as it is.',
    param: {
      name: 'memory',
      label: 'Object cache',
      options: [
        { value: '64', name: 'on, with 64 MB' },
        { value: '128', name: 'on, with 128 MB' },
        { value: 'off', name: 'off' },
      ],
      toParam: (value) => (value === 'off' ? null : Number(value)),
    },
  },
  'site.jobs': JOB_ACTIONS,
  'database.maintain': {
    menu: 'More',
    name: 'Maintain tables',
    icon: Table2,
    about:
      'Checks the tables of each of them, or rebuilds them to return their free space. A check changes nothing.',
    param: {
      name: 'action',
      label: 'Action',
      options: [
        { value: 'check', name: 'check' },
        { value: 'optimise', name: 'optimise' },
      ],
    },
  },
  'tls.issue': {
    menu: 'Settings',
    name: 'Change TLS',
    icon: Lock,
    about: 'Issues or renews the certificate of each of them, or removes it.',
    param: { name: 'tls', label: 'Certificate', options: TLS },
  },
  'site.delete': {
    name: 'Delete',
    icon: Trash2,
    about:
      'Takes each of them offline and moves it to the trash of its server. It can be restored from there until it is permanently deleted.',
    isDestructive: true,
  },
  // A person is taken off all sites on the page People.
  'site.access': {
    menu: 'More',
    name: 'Remove client accounts',
    icon: UserX,
    about:
      'Removes the SFTP accounts with a password of each of them, and ends all SFTP sessions. People with a key can log in again immediately.',
    param: {
      name: 'end_clients',
      label: 'Client accounts',
      options: [{ value: 'all', name: 'all of each site' }],
      toParam: () => true,
    },
  },
  // Sites in the trash are on another page.
  'site.restore': null,
  'site.recover': null,
}

const chosen = Object.entries(ACTIONS).flatMap(([type, actions]) =>
  [actions ?? []].flat().map((action) => ({ type: type as SiteBulkType, ...action })),
)

const byName = SITE_ACTIONS.map(
  ({ isRare, ...action }): BulkAction => ({ ...action, ...(isRare && { menu: 'More' }) }),
)

export const BULK_ACTIONS: readonly BulkAction[] = [
  ...chosen.filter(({ isDestructive }) => !isDestructive),
  ...byName,
  ...chosen.filter(({ isDestructive }) => isDestructive),
]
