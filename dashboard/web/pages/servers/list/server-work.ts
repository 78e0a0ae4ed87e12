import {
  ArrowUpCircle,
  type LucideIcon,
  PackagePlus,
  RefreshCw,
  RotateCw,
  ShieldCheck,
  ShieldPlus,
} from 'lucide-react'
import type { ServerBulkType } from '#shared/operation-types.ts'

interface ServerWork {
  /** On the button, and in the title of the dialog before the servers. */
  name: string
  icon: LucideIcon
  about: string
  /** The button of the dialog. */
  action: string
}

/** The bulk operations on servers, in the order of the buttons. */
export const SERVER_WORK: Record<ServerBulkType, ServerWork> = {
  'server.sync': {
    name: 'Sync',
    icon: RefreshCw,
    about: 'Makes the records agree with what each machine reports. Nothing is changed there.',
    action: 'Sync',
  },
  'service.restart': {
    name: 'Restart a service',
    icon: RotateCw,
    about: 'Sites on these servers are briefly unavailable while it restarts.',
    action: 'Restart',
  },
  'server.provision': {
    name: 'Provision',
    icon: PackagePlus,
    about:
      'Installs and configures nginx, PHP-FPM, MariaDB and wp-cli, with the PHP version of the distribution. Existing software and sites stay as they are.',
    action: 'Provision',
  },
  'server.update': {
    name: 'Install security updates',
    icon: ShieldPlus,
    about:
      'Installs the security updates of Debian, and restarts services with replaced files, one site after the other. Sites stay up; installed packages cannot be rolled back.',
    action: 'Install',
  },
  'isolation.check': {
    name: 'Check isolation',
    icon: ShieldCheck,
    about:
      'Creates two temporary sites on each server, attacks one of them from the other, and removes both. No other site is affected.',
    action: 'Check',
  },
  'agent.upgrade': {
    name: 'Upgrade agent',
    icon: ArrowUpCircle,
    about:
      'Installs the agent version of this dashboard on each server. If it does not answer, the previous version is restored automatically. Sites are not affected.',
    action: 'Upgrade',
  },
}
