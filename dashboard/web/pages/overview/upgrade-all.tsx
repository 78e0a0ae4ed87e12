import { ArrowUpCircle } from 'lucide-react'
import { useState } from 'react'
import type { AttentionItem } from '#shared/api/attention.ts'
import type { FleetServer } from '#shared/api/fleet.ts'
import { Button } from '../../ui/button.tsx'
import { BulkDialog } from '../servers/bulk-dialog.tsx'

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
