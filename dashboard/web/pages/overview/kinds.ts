import {
  CircleAlert,
  CircleX,
  Clock,
  CloudOff,
  Copy,
  Database,
  DoorOpen,
  Download,
  FileQuestion,
  HardDrive,
  HeartCrack,
  History,
  type LucideIcon,
  MailX,
  PackageX,
  Power,
  RefreshCcwDot,
  ServerOff,
  ShieldAlert,
  ShieldPlus,
  Siren,
  Unplug,
} from 'lucide-react'
import type { AttentionKind } from '#shared/api/attention.ts'

type Kind = readonly [icon: LucideIcon, one: string, many: string]

/** The icon of each kind of attention item, and its title for one and for many. */
export const KINDS: Record<AttentionKind, Kind> = {
  server_offline: [ServerOff, 'server is offline', 'servers are offline'],
  site_down: [HeartCrack, 'site is down', 'sites are down'],
  disk_full: [HardDrive, 'disk is nearly full', 'disks are nearly full'],
  service_failed: [Unplug, 'service has failed', 'services have failed'],
  service_restarts: [RefreshCcwDot, 'service restarts repeatedly', 'services restart repeatedly'],
  isolation: [
    DoorOpen,
    'server whose sites may reach each other',
    'servers whose sites may reach each other',
  ],
  site_degraded: [CircleAlert, 'site is degraded', 'sites are degraded'],
  site_failed: [CircleX, 'site has failed', 'sites have failed'],
  certificate: [ShieldAlert, 'certificate expires soon', 'certificates expire soon'],
  mail: [MailX, 'server whose mail is not delivered', 'servers whose mail is not delivered'],
  site_disk: [
    Database,
    'site is near or over its disk limit',
    'sites are near or over their disk limit',
  ],
  operation_failed: [Siren, 'failed operation to retry', 'failed operations to retry'],
  site_missing: [FileQuestion, 'site not found on its server', 'sites not found on their servers'],
  sites_not_recorded: [
    PackageX,
    'reported site is not recorded',
    'reported sites are not recorded',
  ],
  security_updates: [ShieldPlus, 'server with security updates', 'servers with security updates'],
  reboot_needed: [Power, 'server needs a reboot', 'servers need a reboot'],
  old_files: [History, 'server runs replaced files', 'servers run replaced files'],
  php_eol: [Clock, 'site on end-of-life PHP', 'sites on end-of-life PHP'],
  agent_outdated: [CloudOff, 'agent of an older version', 'agents of an older version'],
  name_conflict: [
    Copy,
    'discovered site with a name that another server also has',
    'discovered sites with names that other servers also have',
  ],
  updates: [Download, 'site with updates', 'sites with updates'],
}
