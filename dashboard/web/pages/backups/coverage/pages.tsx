import { ArrowLeft, ArrowRight } from 'lucide-react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'

interface PagesProps {
  page: number
  per_page: number
  total: number
  onPage: (page: string | undefined) => void
}

/** The pages of a list that is counted; nothing if there is one. */
export function Pages({ page, per_page, total, onPage }: PagesProps) {
  const last = Math.ceil(total / per_page)
  if (last <= 1 && page === 1) return null
  const first = Math.min((page - 1) * per_page + 1, total)
  const open = (next: number) => () => onPage(next === 1 ? undefined : String(next))
  return (
    <nav aria-label="Pages" className="flex items-center gap-2 border-t border-line p-3">
      <span className="flex-1 pl-1 text-xs text-muted tabular-nums">
        {formatNumber(first)} to {formatNumber(Math.min(page * per_page, total))} of{' '}
        {formatNumber(total)} sites
      </span>
      <Button icon={<ArrowLeft />} disabled={page === 1} onClick={open(page - 1)}>
        Previous
      </Button>
      <Button disabled={page >= last} onClick={open(page + 1)}>
        Next
        <ArrowRight />
      </Button>
    </nav>
  )
}
