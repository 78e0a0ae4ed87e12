import { queryOptions, useQuery } from '@tanstack/react-query'
import { ArrowUpCircle, RotateCw, ShieldCheck, ShieldPlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { planBulk, startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { retryOperation } from '#dashboard/web/api/operations.ts'
import { siteIdsQuery } from '#dashboard/web/api/sites.ts'
import { useMany } from '#dashboard/web/pages/operations/list/use-many.ts'
import { BulkDialog } from '#dashboard/web/pages/servers/list/bulk-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import { type May, placeOf, useMay, type Where } from '#dashboard/web/ui/rights.tsx'
import type { ServerBulkType } from '#shared/operation-types.ts'
import type { Attention, AttentionItem, AttentionKind } from '#shared/overview/api/attention.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'

export interface GroupActionProps {
  group: Attention
  servers: readonly FleetServer[]
}

interface ServerWork {
  type: ServerBulkType
  verb: string
  icon: ReactNode
}

const SERVER_WORK: Partial<Record<AttentionKind, ServerWork>> = {
  agent_outdated: { type: 'agent.upgrade', verb: 'Upgrade', icon: <ArrowUpCircle /> },
  security_updates: { type: 'server.update', verb: 'Update', icon: <ShieldPlus /> },
}

/** What can be done to all of a group with one button. */
export function GroupAction({ group, servers }: GroupActionProps) {
  const { kind, query, items } = group
  const may = useMay()
  const work = SERVER_WORK[kind]
  if (work) {
    const ids = new Set(items.map(({ server_id }) => server_id))
    return (
      <OnServers
        work={work}
        servers={servers.filter(({ id }) => ids.has(id) && may('operate', { server_id: id }))}
      />
    )
  }
  if (kind === 'certificate') return query && <Renew query={query} />
  return kind === 'operation_failed' && items.length > 1 && <RetryAll group={group} />
}

/** Returns where the rights for an item are needed. */
const placeOfItem = ({ server_id, site_id }: AttentionItem): Where =>
  server_id === null ? 'fleet' : { server_id, site_id }

interface OnServersProps extends Pick<GroupActionProps, 'servers'> {
  work: ServerWork
}

function OnServers({ work: { type, verb, icon }, servers }: OnServersProps) {
  const { dialog, show } = useDialog()
  if (servers.length === 0) return null
  return (
    <>
      <Button icon={icon} onClick={show}>
        {verb} {formatNumber(servers.length)}
      </Button>
      <BulkDialog
        work={dialog.open ? type : undefined}
        servers={servers}
        onClose={dialog.onClose}
      />
    </>
  )
}

const RENEWAL = { type: 'tls.issue', params: { tls: 'letsencrypt' } } as const

/** The sites whose certificate can be renewed: a self-signed one keeps its type, others are skipped. */
const renewableQuery = (query: Record<string, string>, may: May) =>
  queryOptions({
    queryKey: ['bulk-targets', 'renewal', query],
    queryFn: async ({ client }) => {
      const found = await client.fetchQuery(siteIdsQuery({ ...query, tls: 'letsencrypt' }))
      const ids = found.sites.flatMap((site) => (may('operate', placeOf(site)) ? [site.id] : []))
      if (ids.length === 0) return []
      const { targets } = await planBulk({ ...RENEWAL, targets: { site_ids: ids } })
      return targets.flatMap(({ site_id }) => site_id ?? [])
    },
  })

function Renew({ query }: { query: Record<string, string> }) {
  const { dialog, show } = useDialog()
  const openBulk = useOpenBulk()
  const may = useMay()
  const { data: site_ids = [] } = useQuery({
    ...renewableQuery(query, may),
    enabled: may('operate', 'anywhere'),
  })
  if (site_ids.length === 0) return null
  return (
    <>
      <Button icon={<ShieldCheck />} onClick={show}>
        Renew {formatNumber(site_ids.length)}
      </Button>
      <Confirm
        {...dialog}
        title={`Renew ${formatCount(site_ids.length, 'certificate')}?`}
        action="Renew certificates"
        onConfirm={async () => openBulk(await startBulk({ ...RENEWAL, targets: { site_ids } }))}
      >
        New certificates are requested from Let's Encrypt. A site whose domain does not point to its
        server keeps its current certificate.
      </Confirm>
    </>
  )
}

function RetryAll({ group: { items } }: Pick<GroupActionProps, 'group'>) {
  const may = useMay()
  const ids = items.flatMap((item) =>
    item.operation_id !== null && may('operate', placeOfItem(item)) ? [item.operation_id] : [],
  )
  const { mutate, isPending } = useMany('retried', retryOperation)
  if (ids.length === 0) return null
  return (
    <Button icon={<RotateCw />} busy={isPending} onClick={() => mutate(ids)}>
      Retry {formatNumber(ids.length)}
    </Button>
  )
}
