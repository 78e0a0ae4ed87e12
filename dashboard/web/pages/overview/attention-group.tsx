import { useState } from 'react'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import type { Attention, AttentionItem } from '#shared/api/attention.ts'
import type { FleetServer } from '#shared/api/fleet.ts'
import { Item } from './item.tsx'
import { KINDS } from './kinds.ts'
import { UpgradeAll } from './upgrade-all.tsx'

const LOOKS = {
  critical: 'bg-bad-soft text-bad',
  warning: 'bg-warn-soft text-warn',
  info: 'bg-accent-soft text-accent',
} as const
const FIRST = 3

interface AttentionGroupProps {
  group: Attention
  servers: readonly FleetServer[]
}

/** All of one kind: the first of them, and the way to the rest. */
export function AttentionGroup({ group, servers }: AttentionGroupProps) {
  const [all, setAll] = useState(false)
  const { kind, severity, total, items, query } = group
  const { icon: Icon, title } = KINDS[kind]
  const shown = all ? items : items.slice(0, FIRST)
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface">
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2">
        <span className={cx('rounded-md p-1.5', LOOKS[severity])}>
          <Icon className="size-4" aria-hidden />
        </span>
        <h3 className="flex-1 font-semibold">{title(total)}</h3>
        {kind === 'agent_outdated' && <UpgradeAll items={items} servers={servers} />}
        {kind === 'operation_failed' && total > items.length && (
          <ButtonLink to="/operations" search={{ status: 'failed' }}>
            Show failed operations
          </ButtonLink>
        )}
        {query && total > 1 && (
          <ButtonLink to="/sites" search={readSitesSearch(query)}>
            Show all {formatNumber(total)}
          </ButtonLink>
        )}
      </div>
      <ul className="divide-y divide-line">
        {shown.map((item) => (
          <Item key={keyOf(item)} kind={kind} item={item} />
        ))}
      </ul>
      {items.length > FIRST && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="w-full border-t border-line px-4 py-2.5 text-left text-xs text-muted hover:bg-sunken hover:text-text"
        >
          {all ? 'Show less' : `Show ${formatNumber(items.length - FIRST)} more`}
        </button>
      )}
    </div>
  )
}

const keyOf = ({ server_id, site_id, operation_id, name, reason }: AttentionItem) =>
  [server_id, site_id, operation_id, name, reason].join(' ')
