import { ArrowUpCircle } from 'lucide-react'
import { useState } from 'react'
import { BulkDialog } from '#dashboard/web/pages/servers/list/bulk-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import type { AttentionItem } from '#shared/api/attention.ts'
import type { FleetServer } from '#shared/api/fleet.ts'

interface UpgradeAllProps {
  items: readonly AttentionItem[]
  servers: readonly FleetServer[]
}

/** Gives all that are named the agent of this dashboard. */
export function UpgradeAll({ items, servers }: UpgradeAllProps) {
  const [asks, setAsks] = useState(false)
  const named = new Set(items.map(({ server_id }) => server_id))
  return (
    <>
      <Button icon={<ArrowUpCircle aria-hidden />} onClick={() => setAsks(true)}>
        Upgrade
      </Button>
      <BulkDialog
        work={asks ? 'agent.upgrade' : undefined}
        servers={servers.filter(({ id }) => named.has(id))}
        onClose={() => setAsks(false)}
      />
    </>
  )
}
