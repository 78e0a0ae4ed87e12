import { CircleAlert, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { Button } from './button.tsx'

interface EmptyProps {
  icon?: ReactNode
  title: string
  /** What this list contains, and how to fill it. */
  children?: ReactNode
  action?: ReactNode
}

/** The empty state of a list. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      {icon && <div className="text-muted [&_svg]:size-8">{icon}</div>}
      <p className="text-base font-semibold">{title}</p>
      {children && <div className="max-w-md text-muted">{children}</div>}
      {action}
    </div>
  )
}

/** An error with its message and a retry button. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-lg bg-bad-soft px-4 py-3 text-bad"
    >
      <CircleAlert className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 break-words">{messageOf(error)}</span>
      {onRetry && (
        <Button icon={<RotateCw />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** A placeholder while data loads. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex animate-pulse flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <div key={row} className="h-5 rounded bg-sunken" />
      ))}
    </div>
  )
}

interface QueryStateProps {
  of: { data: unknown; error: unknown; refetch: () => void }
  /** The rows of the placeholder. */
  rows?: number
  /** In a card without padding. */
  flush?: boolean
}

/** The error of a query with a retry button, or a placeholder until its first data arrives. */
export function QueryState({ of, rows = 3, flush = false }: QueryStateProps) {
  const { data, error, refetch } = of
  if (!error) return data === undefined ? <Skeleton rows={rows} /> : null
  const failure = <Failure error={error} onRetry={refetch} />
  return flush ? <div className="p-4">{failure}</div> : failure
}
