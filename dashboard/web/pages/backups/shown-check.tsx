import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { BACKUPS } from '#dashboard/web/api/backups.ts'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import { OperationLive } from '#dashboard/web/features/operations/operation-live.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'

/** The check in the address, live, until the user hides it. */
export function ShownCheck() {
  const operation = useSearch({ from: '/inside/backups', select: ({ operation: id }) => id })
  return operation === undefined ? null : <LiveCheck key={operation} operation={operation} />
}

function LiveCheck({ operation }: { operation: string }) {
  const client = useQueryClient()
  const navigate = useNavigate({ from: '/backups' })
  const { data } = useQuery(operationQuery(operation))
  const hasEnded = data !== undefined && !isActive(data)
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: BACKUPS })
  }, [hasEnded, client])
  const show = (id: string | undefined) =>
    navigate({ search: (now) => ({ ...now, operation: id }) })
  return (
    <section aria-label="Check" className="flex flex-col gap-3">
      <OperationLive operation_id={operation} onRetried={show} />
      <Button kind="quiet" icon={<X />} onClick={() => show(undefined)} className="self-end">
        Hide check
      </Button>
    </section>
  )
}
