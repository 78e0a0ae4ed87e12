import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from './page.tsx'

interface ChecklistStep {
  title: string
  about: string
  isDone: boolean
  /** Shown for the next step only. */
  action: ReactNode
}

/** The first steps of something, with their state and the action of the next one. */
export function Checklist({ title, steps }: { title: string; steps: readonly ChecklistStep[] }) {
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Card title={title} flush>
      <ol className="divide-y divide-line">
        {steps.map((step, at) => (
          <Step key={step.title} step={step} number={at + 1} isNext={at === next} />
        ))}
      </ol>
    </Card>
  )
}

interface StepProps {
  step: ChecklistStep
  number: number
  isNext: boolean
}

function Step({ step, number, isNext }: StepProps) {
  const { title, about, isDone, action } = step
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3"
    >
      {isDone ? (
        <CircleCheck className="size-6 shrink-0 text-good" aria-label="Done" />
      ) : (
        <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
          {number}
        </span>
      )}
      <span className="min-w-0 flex-1 basis-60">
        <span className="block font-medium">{title}</span>
        <span className="text-muted">{about}</span>
      </span>
      {isNext && action}
    </li>
  )
}
