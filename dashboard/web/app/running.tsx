import { useQuery } from '@tanstack/react-query'
import { countActiveQuery } from '#dashboard/web/api/operations.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'

/** The number of running operations, with a link to them. */
export function UnderWayChip() {
  const { data = 0 } = useQuery(countActiveQuery)
  if (data === 0) return null
  const count = data > 99 ? '99+' : String(data)
  return (
    <ButtonLink
      to="/operations"
      kind="quiet"
      icon={<span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />}
      className="text-accent tabular-nums"
    >
      {count}
      <span className="sr-only">{data === 1 ? 'operation' : 'operations'}</span>
      <span className="sr-only lg:not-sr-only">running</span>
    </ButtonLink>
  )
}
