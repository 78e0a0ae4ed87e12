import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowUpCircle, RotateCw, ShieldCheck, ShieldPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { planBulk, startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { retryOperation } from '#dashboard/web/api/operations.ts'
import { siteIdsQuery } from '#dashboard/web/api/sites.ts'
import { useMany } from '#dashboard/web/pages/operations/list/use-many.ts'
import { BulkDialog } from '#dashboard/web/pages/servers/list/bulk-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import type { Attention } from '#shared/api/attention.ts'
import type { FleetServer } from '#shared/api/fleet.ts'
import type { ServerBulkType } from '#shared/operation-types/index.ts'

interface GroupActionProps {
  group: Attention
  servers: readonly FleetServer[]
}

/** What can be done to all of a group with one button. */
export function GroupAction({ group, servers }: GroupActionProps) {
  switch (group.kind) {
    case 'agent_outdated':
      return (
        <OnServers
          {...{ group, servers }}
          work="agent.upgrade"
          verb="Upgrade"
          icon={<ArrowUpCircle />}
        />
      )
    case 'security_updates':
      return (
        <OnServers
          {...{ group, servers }}
          work="server.update"
          verb="Update"
          icon={<ShieldPlus />}
        />
      )
    case 'certificate':
      return group.query && <Renew query={group.query} />
    case 'operation_failed':
      return group.items.length > 1 && <RetryAll group={group} />
    default:
      return null
  }
}

interface OnServersProps extends GroupActionProps {
  work: ServerBulkType
  verb: string
  icon: ReactNode
}

function OnServers({ group, servers, work, verb, icon }: OnServersProps) {
  const [asks, setAsks] = useState(false)
  const ids = new Set(group.items.map(({ server_id }) => server_id))
  const named = servers.filter(({ id }) => ids.has(id))
  return (
    <>
      <Button icon={icon} onClick={() => setAsks(true)}>
        {verb} {formatNumber(named.length)}
      </Button>
      <BulkDialog work={asks ? work : undefined} servers={named} onClose={() => setAsks(false)} />
    </>
  )
}

const RENEWAL = { type: 'tls.issue', params: { tls: 'letsencrypt' } } as const

/** The sites whose certificate can be renewed: a self-signed one keeps its type, others are skipped. */
const renewableQuery = (query: Record<string, string>) =>
  queryOptions({
    queryKey: ['bulk-targets', 'renewal', query],
    queryFn: async ({ client }) => {
      const { ids } = await client.fetchQuery(siteIdsQuery({ ...query, tls: 'letsencrypt' }))
      if (ids.length === 0) return []
      const { targets } = await planBulk({ ...RENEWAL, targets: { site_ids: ids } })
      return targets.flatMap(({ site_id }) => site_id ?? [])
    },
  })

function Renew({ query }: { query: Record<string, string> }) {
  const [asks, setAsks] = useState(false)
  const navigate = useNavigate()
  const { data: site_ids = [] } = useQuery(renewableQuery(query))
  if (site_ids.length === 0) return null
  const renew = async () => {
    const bulk_id = await startBulk({ ...RENEWAL, targets: { site_ids } })
    await navigate({ to: '/operations/bulk/$bulk_id', params: { bulk_id } })
  }
  return (
    <>
      <Button icon={<ShieldCheck />} onClick={() => setAsks(true)}>
        Renew {formatNumber(site_ids.length)}
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={`Renew ${formatCount(site_ids.length, 'certificate')}?`}
        action="Renew certificates"
        onConfirm={renew}
      >
        New certificates are requested from Let's Encrypt. A site whose domain does not point to its
        server keeps its current certificate.
      </Confirm>
    </>
  )
}

function RetryAll({ group: { items } }: Pick<GroupActionProps, 'group'>) {
  const ids = items.flatMap(({ operation_id }) => operation_id ?? [])
  const { mutate, isPending } = useMany('retried', retryOperation)
  return (
    <Button icon={<RotateCw />} busy={isPending} onClick={() => mutate(ids)}>
      Retry {formatNumber(ids.length)}
    </Button>
  )
}
