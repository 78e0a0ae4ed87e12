import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#dashboard/web/ui/cx.ts'

interface StepProps {
  at: number
  title: string
  isDone?: boolean
  children?: ReactNode
}

/** One of several numbered steps. */
export function Step({ at, title, isDone = false, children }: StepProps) {
  return (
    <div className="flex gap-3">
      <span
        className={cx(
          'flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold',
          isDone ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent',
        )}
      >
        {isDone ? <Check className="size-3.5" aria-label="Done" /> : at}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="mb-2 font-medium">{title}</h3>
        {children}
      </div>
    </div>
  )
}
