import { Link } from '@tanstack/react-router'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { AttentionItem, AttentionKind } from '#shared/api/attention.ts'
import { Line } from './group.tsx'
import { ItemAction } from './item-action.tsx'

interface ItemProps {
  kind: AttentionKind
  item: AttentionItem
}

/** One incident, its reason, and what can be done about it right here. */
export function Item({ kind, item }: ItemProps) {
  const { reason, at } = item
  return (
    <Line
      name={<Name item={item} />}
      reason={reason}
      at={at && <Time at={at} />}
      action={<ItemAction kind={kind} item={item} />}
    />
  )
}

function Name({ item }: { item: AttentionItem }) {
  const { name, server_id, site_id, query } = item
  const className = 'font-medium hover:underline'
  if (site_id !== null)
    return (
      <SiteLink id={site_id} className={className}>
        {name}
      </SiteLink>
    )
  if (server_id !== null)
    return (
      <ServerLink id={server_id} className={className}>
        {name}
      </ServerLink>
    )
  if (query)
    return (
      <Link to="/sites" search={readSitesSearch(query)} className={className}>
        {name}
      </Link>
    )
  return <span className="font-medium">{name}</span>
}
