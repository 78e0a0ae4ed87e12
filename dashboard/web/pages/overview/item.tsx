import { Link } from '@tanstack/react-router'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { AttentionItem, AttentionKind } from '#shared/api/attention.ts'
import { ItemAction } from './item-action.tsx'

interface ItemProps {
  kind: AttentionKind
  item: AttentionItem
}

/** One thing, why it is there, and what can be done about it right here. */
export function Item({ kind, item }: ItemProps) {
  const { reason, at } = item
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Name item={item} />
          {at && (
            <span className="text-xs text-muted">
              <Time at={at} />
            </span>
          )}
        </p>
        <p className="line-clamp-3 text-muted">{reason}</p>
      </div>
      <ItemAction kind={kind} item={item} />
    </li>
  )
}

function Name({ item }: { item: AttentionItem }) {
  const { name, server_id, site_id, query } = item
  const className = 'font-medium break-all text-text hover:underline'
  if (site_id !== null)
    return (
      <Link to="/sites/$site_id" params={{ site_id: String(site_id) }} className={className}>
        {name}
      </Link>
    )
  if (server_id !== null)
    return (
      <Link
        to="/servers/$server_id"
        params={{ server_id: String(server_id) }}
        className={className}
      >
        {name}
      </Link>
    )
  if (query)
    return (
      <Link to="/sites" search={readSitesSearch(query)} className={className}>
        {name}
      </Link>
    )
  return <span className="font-medium">{name}</span>
}
