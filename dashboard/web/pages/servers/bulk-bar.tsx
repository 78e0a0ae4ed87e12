import {
  ArrowUpCircle,
  PackagePlus,
  RefreshCw,
  RotateCw,
  ShieldCheck,
  ShieldPlus,
  X,
} from 'lucide-react'
import { useState } from 'react'
import type { FleetServer } from '#shared/api/fleet.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { BulkDialog, type BulkWork } from './bulk-dialog.tsx'

interface BulkBarProps {
  servers: readonly FleetServer[]
  onClear: () => void
}

const WORKS = [
  { work: 'server.sync', name: 'Sync', icon: RefreshCw },
  { work: 'service.restart', name: 'Restart a service', icon: RotateCw },
  { work: 'server.provision', name: 'Provision', icon: PackagePlus },
  { work: 'server.update', name: 'Install security updates', icon: ShieldPlus },
  { work: 'isolation.check', name: 'Check isolation', icon: ShieldCheck },
  { work: 'agent.upgrade', name: 'Upgrade agent', icon: ArrowUpCircle },
] as const satisfies { work: BulkWork; name: string; icon: unknown }[]

/** What can be done to the servers that are chosen. */
export function BulkBar({ servers, onClear }: BulkBarProps) {
  const [work, setWork] = useState<BulkWork>()
  return (
    <section
      aria-label="Selected servers"
      className="sticky bottom-4 z-10 flex flex-wrap items-center gap-2 self-center rounded-xl border border-line bg-raised p-2 pl-4 shadow-lg"
    >
      <span className="mr-2 font-medium tabular-nums" aria-live="polite">
        {formatNumber(servers.length)} selected
      </span>
      {WORKS.map(({ work, name, icon: Icon }) => (
        <Button key={work} icon={<Icon aria-hidden />} onClick={() => setWork(work)}>
          {name}
        </Button>
      ))}
      <IconButton name="Clear the selection" icon={<X aria-hidden />} onClick={onClear} />
      <BulkDialog work={work} servers={servers} onClose={() => setWork(undefined)} />
    </section>
  )
}
