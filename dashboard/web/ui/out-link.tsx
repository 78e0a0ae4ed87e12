import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'

/** Looks like a button, and leads out of the dashboard in a tab of its own. */
export function OutLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="inline-flex min-h-9 shrink-0 items-center justify-center gap-2 rounded-lg border border-line bg-surface px-3 py-1.5 text-sm font-medium whitespace-nowrap hover:bg-sunken"
    >
      {children}
      <ExternalLink className="size-4 text-muted" aria-label="in a new tab" />
    </a>
  )
}
