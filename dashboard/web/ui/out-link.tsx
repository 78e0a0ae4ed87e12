import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'

/** A link that looks like a button and opens a new tab. */
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
