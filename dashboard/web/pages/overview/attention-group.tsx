import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import type { AttentionItem } from '#shared/overview/api/attention.ts'
import { ATTENTION_NAMES } from '#shared/overview/attention-names.ts'
import { Group } from './group.tsx'
import { GroupAction, type GroupActionProps } from './group-action.tsx'
import { Item } from './item.tsx'
import { KIND_ICONS } from './kinds.ts'

const FIRST = 5
const LINK = 'text-muted hover:text-text hover:underline'

/** All of one kind: the first five, and the way to the rest. */
export function AttentionGroup({ group, servers }: GroupActionProps) {
  const [all, setAll] = useState(false)
  const { kind, severity, total, items } = group
  const icon = KIND_ICONS[kind]
  const [one, many] = ATTENTION_NAMES[kind]
  return (
    <Group
      icon={icon}
      severity={severity}
      title={formatCount(total, one, many)}
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

interface RestProps extends Pick<GroupActionProps, 'group'> {
  all: boolean
  onToggle: () => void
}

/** Links to the list of all if there is one; otherwise shows the rest here. */
function Rest({ group: { kind, total, items, query }, all, onToggle }: RestProps) {
  if (query)
    return (
      <Link to="/sites" search={readSitesSearch(query)} className={LINK}>
        View all {formatNumber(total)}
      </Link>
    )
  if (kind === 'operation_failed' && total > items.length)
    return (
      <Link to="/operations" search={{ status: 'failed' }} className={LINK}>
        View all failed operations
      </Link>
    )
  if (items.length <= FIRST) return null
  return (
    <button type="button" aria-expanded={all} onClick={onToggle} className={LINK}>
      {all ? 'Show less' : `View all ${formatNumber(items.length)}`}
    </button>
  )
}

const keyOf = ({ server_id, site_id, operation_id, name, reason }: AttentionItem) =>
  [server_id, site_id, operation_id, name, reason].join(' ')
