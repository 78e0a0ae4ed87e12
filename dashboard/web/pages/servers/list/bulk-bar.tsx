import {
  ArrowUpCircle,
  type LucideIcon,
  PackagePlus,
  RefreshCw,
  RotateCw,
  ShieldCheck,
  ShieldPlus,
  X,
} from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import type { FleetServer } from '#shared/api/fleet.ts'
import type { ServerBulkType } from '#shared/operation-types/index.ts'
import { BulkDialog } from './bulk-dialog.tsx'

interface BulkBarProps {
  servers: readonly FleetServer[]
  onClear: () => void
}

const BUTTONS: Record<ServerBulkType, { name: string; icon: LucideIcon }> = {
  'server.sync': { name: 'Sync', icon: RefreshCw },
  'service.restart': { name: 'Restart a service', icon: RotateCw },
  'server.provision': { name: 'Provision', icon: PackagePlus },
  'server.update': { name: 'Install security updates', icon: ShieldPlus },
  'isolation.check': { name: 'Check isolation', icon: ShieldCheck },
  'agent.upgrade': { name: 'Upgrade agent', icon: ArrowUpCircle },
}
const WORKS = Object.entries(BUTTONS).map(([work, button]) => ({
  work: work as ServerBulkType,
  ...button,
}))

/** Actions for the selected servers. */
export function BulkBar({ servers, onClear }: BulkBarProps) {
  const [work, setWork] = useState<ServerBulkType>()
  return (
    <section
      aria-label="Selected servers"
      className="sticky bottom-4 z-10 flex flex-wrap items-center gap-2 self-center rounded-xl border border-line bg-raised p-2 pl-4 shadow-lg"
    >
      <span className="mr-2 font-medium tabular-nums" aria-live="polite">
        {formatNumber(servers.length)} selected
      </span>
      {WORKS.map(({ work, name, icon: Icon }) => (
        <Button key={work} icon={<Icon />} onClick={() => setWork(work)}>
          {name}
        </Button>
      ))}
      <IconButton name="Clear selection" icon={<X />} onClick={onClear} />
      <BulkDialog work={work} servers={servers} onClose={() => setWork(undefined)} />
    </section>
  )
}
