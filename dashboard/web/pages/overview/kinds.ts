import {
  CircleX,
  Clock,
  CloudOff,
  Download,
  FileQuestion,
  HardDrive,
  type LucideIcon,
  ServerOff,
  ShieldAlert,
  Siren,
  Unplug,
} from 'lucide-react'
import type { AttentionKind } from '#shared/api/attention.ts'
import { formatCount } from '../../ui/format.ts'

interface Kind {
  icon: LucideIcon
  /** So many of them. */
  title: (total: number) => string
}

const counted = (one: string, many: string) => (total: number) => formatCount(total, one, many)

/** How each kind of trouble is called. */
export const KINDS: Record<AttentionKind, Kind> = {
  server_offline: { icon: ServerOff, title: counted('server is offline', 'servers are offline') },
  disk_full: { icon: HardDrive, title: counted('disk is nearly full', 'disks are nearly full') },
  service_failed: { icon: Unplug, title: counted('service has failed', 'services have failed') },
  site_failed: { icon: CircleX, title: counted('site has failed', 'sites have failed') },
  certificate: {
    icon: ShieldAlert,
    title: counted('certificate ends soon', 'certificates end soon'),
  },
  operation_failed: { icon: Siren, title: counted('operation failed', 'operations failed') },
  site_missing: { icon: FileQuestion, title: counted('site is missing', 'sites are missing') },
  php_eol: {
    icon: Clock,
    title: counted('site on a PHP without fixes', 'sites on a PHP without fixes'),
  },
  agent_outdated: {
    icon: CloudOff,
    title: counted('agent of an older version', 'agents of an older version'),
  },
  updates: { icon: Download, title: counted('site with updates', 'sites with updates') },
}
