import type { Plan } from '#shared/plan.ts'
import { formatNumber } from './format.ts'

type Effect = Plan['steps'][number]['effects'][number]

const SIGNS: Record<Effect['action'], string> = { create: '+', change: '~', remove: '−', run: '›' }

/** What would be done, step by step; what each step touches is behind it. */
export function PlanSteps({ plan }: { plan: Plan }) {
  if (plan.steps.length === 0)
    return <p className="text-muted">There is nothing to do: all of it is there already.</p>
  return (
    <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
      {plan.steps.map(({ name, title, effects }, at) => (
        <li key={name} className="px-3 py-2">
          <details>
            <summary className="flex cursor-pointer items-baseline gap-2">
              <span className="w-5 shrink-0 text-right text-xs text-muted tabular-nums">
                {at + 1}
              </span>
              <span className="min-w-0 flex-1 break-words">{title}</span>
              <span className="shrink-0 text-xs text-muted tabular-nums">
                {formatNumber(effects.length)} {effects.length === 1 ? 'effect' : 'effects'}
              </span>
            </summary>
            <ul className="mt-2 ml-7 flex flex-col gap-1 text-xs text-muted">
              {effects.map(({ action, kind, name }) => (
                <li key={`${action} ${kind} ${name}`} className="flex gap-2">
                  <span aria-hidden className="font-mono">
                    {SIGNS[action]}
                  </span>
                  <span className="min-w-0 break-all">
                    {action} {kind} <code className="font-mono text-text">{name}</code>
                  </span>
                </li>
              ))}
            </ul>
          </details>
        </li>
      ))}
    </ol>
  )
}
