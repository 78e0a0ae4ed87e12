import {
  Construction,
  FileCode,
  Files,
  FileX,
  Lock,
  Network,
  ShieldCheck,
  SlidersHorizontal,
} from 'lucide-react'
import { CSP_NAMES, HSTS_NAMES } from '#dashboard/web/features/sites/security-headers.ts'
import { XMLRPC_NAMES } from '#dashboard/web/features/sites/xmlrpc.ts'
import { CDNS } from '#shared/sites/cdn.ts'
import { CSP_MODES, HSTS_MODES, XMLRPC_MODES } from '#shared/sites/site-settings.ts'
import type { BulkAction } from './bulk-action.ts'
import { named } from './options.ts'
import { ChangePageCache, ChangePhpSettings } from './setting-params.tsx'

type SettingAction = Pick<BulkAction, 'name' | 'icon' | 'about' | 'param' | 'fields' | 'menu'>

const MENU = { menu: 'Settings' } as const
const ON_OFF = named('on', 'off')
const NO_CDN = 'none'

/** One setting of many sites. */
export const SETTING_ACTIONS: readonly SettingAction[] = [
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
