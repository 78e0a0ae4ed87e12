import { Ban, Check, Circle, LoaderCircle, Minus, TriangleAlert, Undo2, X } from 'lucide-react'
import { cx } from '#dashboard/web/ui/cx.ts'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { unicodeIn } from '#shared/kernel/unicode-domain.ts'
import { countEnded, type Step, type StepState } from './steps.ts'

const LOOKS = {
  waiting: { icon: Circle, className: 'text-muted', words: 'not started' },
  running: { icon: LoaderCircle, className: 'text-accent animate-spin', words: 'running' },
  done: { icon: Check, className: 'text-good', words: 'done' },
  warned: { icon: TriangleAlert, className: 'text-warn', words: 'done, with a warning' },
  skipped: { icon: Minus, className: 'text-muted', words: 'not needed' },
  failed: { icon: X, className: 'text-bad', words: 'failed' },
  cancelled: { icon: Ban, className: 'text-muted', words: 'cancelled' },
  undoing: { icon: LoaderCircle, className: 'text-warn animate-spin', words: 'being undone' },
  undone: { icon: Undo2, className: 'text-warn', words: 'undone' },
  not_undone: { icon: TriangleAlert, className: 'text-bad', words: 'could not be undone' },
} as const satisfies Record<StepState, unknown>

/** The states whose words are visible; the icon shows the others. */
const NAMED: ReadonlySet<StepState> = new Set<StepState>([
  ...(['warned', 'skipped', 'failed', 'cancelled'] as const),
  ...(['undoing', 'undone', 'not_undone'] as const),
])

export function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Progress steps={steps} />
      <ol aria-label="Steps" className="flex flex-col">
        {steps.map(({ name, title, state }) => (
          <li key={name} aria-current={state === 'running' ? 'step' : undefined}>
            <Line title={title} state={state} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function Line({ title, state }: Omit<Step, 'name'>) {
  const { icon: Icon, className, words } = LOOKS[state]
  const isPale = state === 'waiting' || state === 'skipped'
  return (
    <div className="flex items-start gap-2.5 py-1">
      <Icon className={cx('mt-0.5 size-4 shrink-0', className)} />
      <span
        className={cx(
          'min-w-0 break-words',
          isPale && 'text-muted',
          state === 'running' && 'font-medium',
          state === 'undone' && 'line-through decoration-muted',
        )}
      >
        {unicodeIn(title)}
      </span>
      {NAMED.has(state) ? (
        <span className="ml-auto text-xs whitespace-nowrap text-muted">{words}</span>
      ) : (
        <span className="sr-only"> ({words})</span>
      )}
    </div>
  )
}

function Progress({ steps }: { steps: readonly Step[] }) {
  const ended = countEnded(steps)
  return (
    <div className="flex items-center gap-3">
      <ProgressBar label="Progress" total={steps.length} parts={{ good: ended }} />
      <span className="text-xs text-muted tabular-nums">
        {ended} of {steps.length}
      </span>
    </div>
  )
}
