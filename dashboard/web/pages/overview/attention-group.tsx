import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import type { Attention, AttentionItem } from '#shared/api/attention.ts'
import type { FleetServer } from '#shared/api/fleet.ts'
import { Group } from './group.tsx'
import { GroupAction } from './group-action.tsx'
import { Item } from './item.tsx'
import { KINDS } from './kinds.ts'

const FIRST = 5
const REST = 'text-muted hover:text-text hover:underline'

interface AttentionGroupProps {
  group: Attention
  servers: readonly FleetServer[]
}

/** All of one kind: the first five, and the way to the rest. */
export function AttentionGroup({ group, servers }: AttentionGroupProps) {
  const [all, setAll] = useState(false)
  const { kind, severity, total, items } = group
  const { icon, title } = KINDS[kind]
  return (
    <Group
      icon={icon}
      severity={severity}
      title={title(total)}
      action={<GroupAction group={group} servers={servers} />}
      footer={
        (items.length > FIRST || total > items.length) && (
          <Rest group={group} all={all} onToggle={() => setAll(!all)} />
        )
      }
    >
      {(all ? items : items.slice(0, FIRST)).map((item) => (
        <Item key={keyOf(item)} kind={kind} item={item} />
      ))}
    </Group>
  )
}

interface RestProps {
  group: Attention
  all: boolean
  onToggle: () => void
}

/** Links to the list of all if there is one; otherwise shows the rest here. */
function Rest({ group: { kind, total, items, query }, all, onToggle }: RestProps) {
  if (query)
    return (
      <Link to="/sites" search={readSitesSearch(query)} className={REST}>
        View all {formatNumber(total)}
      </Link>
    )
  if (kind === 'operation_failed' && total > items.length)
    return (
      <Link to="/operations" search={{ status: 'failed' }} className={REST}>
        View all failed operations
      </Link>
    )
  if (items.length <= FIRST) return null
  return (
    <button type="button" aria-expanded={all} onClick={onToggle} className={REST}>
      {all ? 'Show less' : `View all ${formatNumber(items.length)}`}
    </button>
  )
}

const keyOf = ({ server_id, site_id, operation_id, name, reason }: AttentionItem) =>
  [server_id, site_id, operation_id, name, reason].join(' ')
