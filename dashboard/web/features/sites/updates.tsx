import { Badge } from '#dashboard/web/ui/status.tsx'
import type { Updates } from '#shared/kernel/inventory.ts'

/** Pending updates in words; undefined while unknown, empty for none. */
export function updatesInWords({ core, plugins, themes }: Updates): string | undefined {
  if (core === null && plugins === null && themes === null) return undefined
  const parts = [core ? 'WordPress core' : '', many(plugins, 'plugin'), many(themes, 'theme')]
  return parts.filter(Boolean).join(', ')
}

const many = (count: number | null, what: string): string =>
  count ? `${count} ${what}${count === 1 ? '' : 's'}` : ''

/** Pending updates in one word; unknown is not none. */
export function UpdatesBadge({ of }: { of: Updates }) {
  const words = updatesInWords(of)
  if (words === undefined) return <span className="text-muted">unknown</span>
  if (words === '') return <span className="text-muted">none</span>
  const rest = (of.plugins ?? 0) + (of.themes ?? 0)
  const short = of.core ? ['core', ...(rest > 0 ? [`+${rest}`] : [])].join(' ') : String(rest)
  return (
    <Badge tone="warn" title={words}>
      {short}
    </Badge>
  )
}
