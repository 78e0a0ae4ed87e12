import {
  Archive,
  Bug,
  CalendarMinus,
  CalendarPlus,
  CloudDownload,
  Construction,
  FileCode,
  Files,
  FileX,
  Gauge,
  Lock,
  MemoryStick,
  Network,
  ScanSearch,
  ShieldCheck,
  SlidersHorizontal,
  Table2,
  Trash2,
  UserX,
} from 'lucide-react'
import { ACTIONS as SITE_ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { CSP_NAMES, HSTS_NAMES, XMLRPC_NAMES } from '#dashboard/web/labels/site-settings.ts'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { named } from '#dashboard/web/ui/option.ts'
import type { SiteActionType, SiteBulkType } from '#shared/operation-types.ts'
import { CDNS } from '#shared/sites/cdn.ts'
import { CSP_MODES, HSTS_MODES, XMLRPC_MODES } from '#shared/sites/site-settings.ts'
import { DEBUG_HOURS } from '#shared/wordpress/wp-debug.ts'
import type { BulkAction } from './bulk-action.ts'
import { AddJob, RemoveJob } from './job-params.tsx'
import { PHP, TIER_OPTIONS, TLS } from './options.ts'
import { ChangePageCache, ChangePhpSettings } from './setting-params.tsx'

type SettingAction = Pick<BulkAction, 'name' | 'icon' | 'about' | 'param' | 'fields' | 'menu'>

const MENU = { menu: 'Settings' } as const
const ON_OFF = named('on', 'off')
const NO_CDN = 'none'

/** One setting of many sites. */
const SETTING_ACTIONS: readonly SettingAction[] = [
  {
    ...MENU,
    name: 'PHP settings',
    icon: SlidersHorizontal,
    about:
      'Replaces the limits and values of PHP of each of them. A site that does not answer with them, or whose tier allows less, fails and keeps its settings.',
    fields: ChangePhpSettings,
  },
  {
    ...MENU,
    name: 'Page cache',
    icon: Files,
    about:
      'Replaces the page cache settings of each of them: whether nginx stores pages for visitors who are not logged in, and what is left out.',
    fields: ChangePageCache,
  },
  {
    ...MENU,
    name: 'Purge changed pages',
    icon: FileX,
    about:
      'Installs a must-use plugin in each of them, which tells the server the pages that an edit, a comment or a sale has changed, or removes it.',
    param: {
      name: 'page_purge',
      label: 'Remove changed pages',
      options: ON_OFF,
      toParam: (value) => value === 'on',
    },
  },
  {
    ...MENU,
    name: 'XML-RPC',
    icon: FileCode,
    about:
      'Who may call xmlrpc.php of each of them. Without it, Jetpack, apps that use XML-RPC and pingbacks do not work.',
    param: {
      name: 'xmlrpc',
      label: 'Who may call xmlrpc.php',
      options: XMLRPC_MODES.map((value) => ({ value, name: XMLRPC_NAMES[value] })),
    },
  },
  {
    ...MENU,
    name: 'Maintenance page',
    icon: Construction,
    about:
      'Shows a page with the status 503 to the visitors of each of them, or the site again. Their jobs run.',
    param: {
      name: 'maintenance',
      label: 'Maintenance page',
      options: ON_OFF,
      toParam: (value) => (value === 'on' ? {} : null),
    },
  },
  {
    ...MENU,
    name: 'Content policy',
    icon: ShieldCheck,
    about:
      'Sets the content security policy of each of them. A site that sends a policy itself has only that one.',
    param: {
      name: 'csp',
      label: 'Content security policy',
      options: CSP_MODES.map((value) => ({ value, name: CSP_NAMES[value] })),
    },
  },
  {
    ...MENU,
    name: 'HSTS',
    icon: Lock,
    about:
      'Whether browsers use https alone for a year for each of them, and for all of their subdomains, also those on other servers.',
    param: {
      name: 'hsts',
      label: 'Only https for a year',
      options: HSTS_MODES.map((value) => ({ value, name: HSTS_NAMES[value] })),
    },
  },
  {
    ...MENU,
    name: 'Change CDN',
    icon: Network,
    about:
      'Makes nginx take the address of each visitor from the header of the CDN, in connections from its networks alone. Choose the CDN that is in front of these sites.',
    param: {
      name: 'trusted_cdn',
      label: 'CDN in front of the sites',
      options: [...named(...CDNS), { value: NO_CDN, name: 'none' }],
      toParam: (value) => (value === NO_CDN ? null : value),
    },
  },
]

/** One cron job of each of many sites. */
const JOB_ACTIONS: readonly Omit<BulkAction, 'type'>[] = [
  {
    menu: 'More',
    name: 'Add cron job',
    icon: CalendarPlus,
    about:
      'Adds the same job to each of them. A site that has another job of this name keeps it, and is reported.',
    fields: AddJob,
  },
  {
    menu: 'More',
    name: 'Remove cron job',
    icon: CalendarMinus,
    about: 'Removes the job of this name from each of them. A run of it is ended.',
    fields: RemoveJob,
  },
]

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
