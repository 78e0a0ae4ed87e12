import { CirclePause } from 'lucide-react'
import { bulkTitle } from '#dashboard/web/labels/operation.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { BulkLink } from '#dashboard/web/ui/record-links.tsx'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import type { Attention as AttentionOfKind } from '#shared/overview/api/attention.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { AttentionGroup } from './attention-group.tsx'
import { Group, Line } from './group.tsx'

const HEADS = {
  critical: { title: 'Critical', about: 'Affects visitors, now or within days.' },
  warning: { title: 'Warnings', about: 'Something is wrong and should be looked at.' },
  info: { title: 'Suggestions', about: 'Nothing is wrong; improvements are possible.' },
} as const

interface AttentionProps {
  groups: readonly AttentionOfKind[]
  paused: readonly BulkOperationView[]
  servers: readonly FleetServer[]
}

/** Items that need attention, most severe first, each with the suggested action. */
export function Attention({ groups, paused, servers }: AttentionProps) {
  return (['critical', 'warning', 'info'] as const).map((severity) => {
    const of = groups.filter((group) => group.severity === severity)
    const hasPaused = severity === 'warning' && paused.length > 0
    if (of.length === 0 && !hasPaused) return null
    return (
      <section key={severity} aria-labelledby={`attention-${severity}`}>
        <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
          <h2 id={`attention-${severity}`} className="font-semibold">
            {HEADS[severity].title}
          </h2>
          <p className="text-xs text-muted">{HEADS[severity].about}</p>
        </div>
        <div className="flex flex-col gap-3">
          {hasPaused && <PausedBulks bulks={paused} />}
          {of.map((group) => (
            <AttentionGroup key={group.kind} group={group} servers={servers} />
          ))}
        </div>
      </section>
    )
  })
}

/** Bulk operations that wait for a person to resume or cancel them. */
function PausedBulks({ bulks }: { bulks: readonly BulkOperationView[] }) {
  const title = formatCount(bulks.length, 'paused bulk operation')
  return (
    <Group icon={CirclePause} severity="warning" title={title}>
      {bulks.map((bulk) => (
        <Line
          key={bulk.id}
          name={
            <BulkLink id={bulk.id} className="font-medium hover:underline">
              {bulkTitle(bulk)}
            </BulkLink>
          }
          reason={bulk.reason}
          action={
            <ButtonLink
              kind="quiet"
              to="/operations/bulk/$bulk_id"
              params={{ bulk_id: bulk.id }}
              aria-label={`Resume or cancel: ${bulkTitle(bulk)}`}
            >
              Resume or cancel
            </ButtonLink>
          }
        />
      ))}
    </Group>
  )
}
