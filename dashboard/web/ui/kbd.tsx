import type { ReactNode } from 'react'

/** A key to press. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex min-w-5 items-center justify-center rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-[0.6875rem] leading-none text-muted">
      {children}
    </kbd>
  )
}
