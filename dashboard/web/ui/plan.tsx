import { Info, Minus, Pencil, Play, Plus } from 'lucide-react'
import type { Effect, Plan } from '#shared/kernel/plan.ts'
import { unicodeIn } from '#shared/kernel/unicode-domain.ts'
import { cx } from './cx.ts'
import { formatCount, formatNumber } from './format.ts'

/** More effects than these are collapsed. */
const MAX_OPEN = 12

const ACTIONS = {
  create: { icon: Plus, word: 'Creates', tone: 'text-good' },
  change: { icon: Pencil, word: 'Changes', tone: 'text-warn' },
  remove: { icon: Minus, word: 'Removes', tone: 'text-bad' },
  run: { icon: Play, word: 'Runs', tone: 'text-muted' },
} as const

/** The plan in one line, `8 steps, 29 changes`, that opens to its steps; notes stay visible. */
export function PlanSummary({ plan, isOpen = false }: { plan: Plan; isOpen?: boolean }) {
  const { steps } = plan
  const changes = steps.reduce((total, { effects }) => total + effects.length, 0)
  if (steps.length === 0) return <PlanSteps plan={plan} />
  return (
    <>
      <details open={isOpen} className="rounded-lg border border-line bg-sunken">
        <summary className="cursor-pointer px-3 py-2">
          Plan: {formatCount(steps.length, 'step')}, {formatCount(changes, 'change')}
        </summary>
        <div className="border-t border-line p-3">
          <PlanSteps plan={plan} hasNotes={false} />
        </div>
      </details>
      {steps.map(({ name, notes }) => (
        <Notes key={name} of={notes} />
      ))}
    </>
  )
}

/** Whether a plan is read at a glance. */
export const isShort = ({ steps }: Plan): boolean =>
  steps.reduce((total, { effects }) => total + 1 + effects.length, 0) <= MAX_OPEN

/** The steps in their order, each with its effects. */
export function PlanSteps({ plan, hasNotes = true }: { plan: Plan; hasNotes?: boolean }) {
  if (plan.steps.length === 0)
    return <p className="text-muted">Nothing has to be done on the server for this.</p>
  return (
    <ol className="flex flex-col gap-3" aria-label="Steps of the plan">
      {plan.steps.map(({ name, title, effects, notes }, index) => (
        <li key={name} className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-2">
          <span
            aria-hidden
            className="flex size-6 items-center justify-center rounded-full bg-sunken text-xs text-muted tabular-nums"
          >
            {index + 1}
          </span>
          <div className="min-w-0 pt-0.5">
            <p className="break-words">{unicodeIn(title)}</p>
            {hasNotes && <Notes of={notes} />}
            <Effects of={effects} />
          </div>
        </li>
      ))}
    </ol>
  )
}

function Notes({ of = [] }: { of: readonly string[] | undefined }) {
  return of.map((note) => (
    <p key={note} className="mt-1 flex items-baseline gap-1.5 text-xs break-words text-warn">
      <Info className="size-3 shrink-0 translate-y-0.5" />
      {note}
    </p>
  ))
}

function Effects({ of }: { of: readonly Effect[] }) {
  if (of.length === 0) return null
  if (of.length <= MAX_OPEN) return <EffectList of={of} />
  return (
    <details>
      <summary className="cursor-pointer text-xs text-muted">
        {formatNumber(of.length)} effects
      </summary>
      <EffectList of={of} />
    </details>
  )
}

function EffectList({ of }: { of: readonly Effect[] }) {
  return (
    <ul className="mt-1 flex flex-col gap-0.5 text-xs text-muted">
      {of.map(({ action, kind, name, asks }) => {
        const { icon: Icon, word, tone } = ACTIONS[action]
        return (
          <li key={`${action} ${kind} ${name}`} className="flex min-w-0 items-baseline gap-1.5">
            <Icon className={cx('size-3 shrink-0 translate-y-0.5', tone)} />
            <span className="shrink-0">
              <span className="sr-only">{word} the </span>
              {kind}
            </span>
            <code className="min-w-0 break-all text-text">{name}</code>
            {asks && <span className="shrink-0 text-warn">not created by Hosting Control</span>}
          </li>
        )
      })}
    </ul>
  )
}
