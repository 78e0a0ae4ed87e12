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
import { formatCount } from '#dashboard/web/ui/format.ts'
import type { AttentionKind } from '#shared/api/attention.ts'

interface Kind {
  icon: LucideIcon
  /** The title for a count. */
  title: (total: number) => string
}

const counted = (one: string, many: string) => (total: number) => formatCount(total, one, many)

/** The title and icon of each kind of attention item. */
export const KINDS: Record<AttentionKind, Kind> = {
  server_offline: { icon: ServerOff, title: counted('server is offline', 'servers are offline') },
  site_down: { icon: HeartCrack, title: counted('site is down', 'sites are down') },
  disk_full: { icon: HardDrive, title: counted('disk is nearly full', 'disks are nearly full') },
  service_failed: { icon: Unplug, title: counted('service has failed', 'services have failed') },
  service_restarts: {
    icon: RefreshCcwDot,
    title: counted('service restarts repeatedly', 'services restart repeatedly'),
  },
  isolation: {
    icon: DoorOpen,
    title: counted(
      'server whose sites may reach each other',
      'servers whose sites may reach each other',
    ),
  },
  site_degraded: {
    icon: CircleAlert,
    title: counted('site is degraded', 'sites are degraded'),
  },
  site_failed: { icon: CircleX, title: counted('site has failed', 'sites have failed') },
  certificate: {
    icon: ShieldAlert,
    title: counted('certificate expires soon', 'certificates expire soon'),
  },
  mail: {
    icon: MailX,
    title: counted('server whose mail is not delivered', 'servers whose mail is not delivered'),
  },
  site_disk: {
    icon: Database,
    title: counted(
      'site is near or over its disk limit',
      'sites are near or over their disk limit',
    ),
  },
  operation_failed: {
    icon: Siren,
    title: counted('failed operation to retry', 'failed operations to retry'),
  },
  site_missing: {
    icon: FileQuestion,
    title: counted('site not found on its server', 'sites not found on their servers'),
  },
  sites_not_recorded: {
    icon: PackageX,
    title: counted('reported site is not recorded', 'reported sites are not recorded'),
  },
  security_updates: {
    icon: ShieldPlus,
    title: counted('server with security updates', 'servers with security updates'),
  },
  reboot_needed: { icon: Power, title: counted('server needs a reboot', 'servers need a reboot') },
  old_files: {
    icon: History,
    title: counted('server runs replaced files', 'servers run replaced files'),
  },
  php_eol: {
    icon: Clock,
    title: counted('site on end-of-life PHP', 'sites on end-of-life PHP'),
  },
  agent_outdated: {
    icon: CloudOff,
    title: counted('agent of an older version', 'agents of an older version'),
  },
  name_conflict: {
    icon: Copy,
    title: counted(
      'discovered site with a name that another server also has',
      'discovered sites with names that other servers also have',
    ),
  },
  updates: { icon: Download, title: counted('site with updates', 'sites with updates') },
}
