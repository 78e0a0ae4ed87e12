import type { ReactNode } from 'react'

/** One of several numbered steps. */
export function Step({ at, title, children }: { at: number; title: string; children: ReactNode }) {
  return (
    <div className="flex gap-3">
      <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
        {at}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="mb-2 font-medium">{title}</h3>
        {children}
      </div>
    </div>
  )
}
