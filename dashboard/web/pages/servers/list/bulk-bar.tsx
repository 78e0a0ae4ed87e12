import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import type { ServerBulkType } from '#shared/operation-types.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { SERVER_WORK } from './server-work.ts'

interface BulkBarProps {
  servers: readonly FleetServer[]
  onClear: () => void
}

const TYPES = Object.keys(SERVER_WORK) as ServerBulkType[]

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
      {TYPES.map((type) => {
        const { name, icon: Icon } = SERVER_WORK[type]
        return (
          <Button key={type} icon={<Icon />} onClick={() => setWork(type)}>
            {name}
          </Button>
        )
      })}
      <IconButton name="Clear selection" icon={<X />} onClick={onClear} />
      <BulkDialog work={work} servers={servers} onClose={() => setWork(undefined)} />
    </section>
  )
}
