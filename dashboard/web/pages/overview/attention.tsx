import type { Attention as Group } from '#shared/api/attention.ts'
import type { FleetServer } from '#shared/api/fleet.ts'
import { AttentionGroup } from './attention-group.tsx'

const HEADS = {
  critical: { title: 'Critical', about: 'Affects visitors, now or within days.' },
  warning: { title: 'Warnings', about: 'Something is wrong and should be looked at.' },
  info: { title: 'Suggestions', about: 'Nothing is wrong; improvements are possible.' },
} as const

interface AttentionProps {
  groups: readonly Group[]
  servers: readonly FleetServer[]
}

/** Items that need attention, most severe first, each with the suggested action. */
export function Attention({ groups, servers }: AttentionProps) {
  const severities = (['critical', 'warning', 'info'] as const)
    .map((severity) => ({ severity, of: groups.filter((group) => group.severity === severity) }))
    .filter(({ of }) => of.length > 0)
  return severities.map(({ severity, of }) => (
    <section key={severity} aria-labelledby={`attention-${severity}`}>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <h2 id={`attention-${severity}`} className="font-semibold">
          {HEADS[severity].title}
        </h2>
        <p className="text-xs text-muted">{HEADS[severity].about}</p>
      </div>
      <div className="flex flex-col gap-3">
        {of.map((group) => (
          <AttentionGroup key={group.kind} group={group} servers={servers} />
        ))}
      </div>
    </section>
  ))
}
