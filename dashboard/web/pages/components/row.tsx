import type { ReactNode } from 'react'

/** The variants of one component in a row. */
export function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-2 py-1.5">
      <p className="w-24 shrink-0 text-xs text-muted">{name}</p>
      <div className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-2">{children}</div>
    </div>
  )
}
