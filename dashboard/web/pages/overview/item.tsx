import { Link } from '@tanstack/react-router'
import { RefreshCw, RotateCw } from 'lucide-react'
import { useRetry } from '#dashboard/web/features/operations/use-actions.ts'
import { useSync } from '#dashboard/web/features/servers/use-sync.ts'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeIn } from '#shared/kernel/unicode-domain.ts'
import type { AttentionItem, AttentionKind } from '#shared/overview/api/attention.ts'
import { Line } from './group.tsx'

interface ItemProps {
  kind: AttentionKind
  item: AttentionItem
}

/** One incident, its reason, and what can be done about it right here. */
export function Item({ kind, item }: ItemProps) {
  const { at } = item
  const reason = unicodeIn(item.reason)
  return (
    <Line
      name={<Name item={item} />}
      reason={reason}
      at={at && <Time at={at} />}
      action={<Action kind={kind} item={item} />}
    />
  )
}

/** Leads to the page of what has the problem. */
function Name({ item: { name, server_id, site_id, query } }: Pick<ItemProps, 'item'>) {
  const props = { className: 'font-medium hover:underline', children: unicodeIn(name) }
  if (site_id !== null) return <SiteLink id={site_id} {...props} />
  if (server_id !== null) return <ServerLink id={server_id} {...props} />
  if (query) return <Link to="/sites" search={readSitesSearch(query)} {...props} />
  return <span className="font-medium">{unicodeIn(name)}</span>
}

function Action({ kind, item: { name, server_id, operation_id, count, query } }: ItemProps) {
  if (operation_id !== null) return <Retry operation_id={operation_id} name={name} />
  if (kind === 'server_offline' && server_id !== null)
    return (
      <>
        <Reconnect server={{ id: server_id, name }} />
        <ButtonLink
          kind="quiet"
          to="/servers/$server_id/lost"
          params={{ server_id: String(server_id) }}
          aria-label={`This server is lost: ${name}`}
        >
          This server is lost
        </ButtonLink>
      </>
    )
  if (!query) return null
  const sites = formatCount(count, 'site')
  return (
    <ButtonLink
      kind="quiet"
      to="/sites"
      search={readSitesSearch(query)}
      aria-label={`Show ${sites} on ${name}`}
    >
      Show {sites}
    </ButtonLink>
  )
}

function Reconnect({ server }: { server: { id: number; name: string } }) {
  const { sync, isSyncing } = useSync(server)
  return (
    <Button
      kind="quiet"
      icon={<RefreshCw />}
      aria-label={`Reconnect: ${server.name}`}
      busy={isSyncing}
      onClick={sync}
    >
      Reconnect
    </Button>
  )
}

function Retry({ operation_id, name }: { operation_id: string; name: string }) {
  const { mutate, isPending, data } = useRetry(operation_id, () => undefined)
  if (data !== undefined)
    return (
      <ButtonLink kind="quiet" to="/operations/$operation_id" params={{ operation_id: data }}>
        Show progress
      </ButtonLink>
    )
  return (
    <Button
      kind="quiet"
      icon={<RotateCw />}
      aria-label={`Retry for ${unicodeIn(name)}`}
      busy={isPending}
      onClick={() => mutate(false)}
    >
      Retry
    </Button>
  )
}
