import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type NewBulk, planBulk } from '#dashboard/web/api/bulk-operations.ts'
import { ONCE } from '#dashboard/web/api/query-client.ts'
import { AcceptMany, consentsIn } from '#dashboard/web/ui/accept.tsx'
import type { BulkType } from '#shared/operation-types.ts'

/** The types that can change foreign objects, and those that some sites refuse. */
const ASKING: ReadonlySet<BulkType> = new Set([
  'site.update',
  'site.restore',
  'site.jobs',
  'server.provision',
])

/**
 * The question whether a bulk operation may change what Hosting Control did not create, and the
 * answer. `isChosen`: the user has chosen its parameter.
 */
export function useConsent(bulk: NewBulk, isChosen: boolean) {
  const key = JSON.stringify(bulk)
  const [acceptedFor, setAcceptedFor] = useState<string>()
  const accepted = acceptedFor === key
  const isNeeded = isChosen && ASKING.has(bulk.type)
  const { data: asks, isFetching } = useQuery({
    queryKey: ['must-accept', bulk],
    queryFn: async () =>
      (await planBulk({ ...bulk, with_asks: true })).must_accept ?? { asks: [], unasked: 0 },
    enabled: isNeeded,
    ...ONCE,
  })
  const isAsking = isNeeded && isFetching
  const consents = isNeeded && asks ? consentsIn(asks.asks.flatMap(({ effects }) => effects)) : []
  return {
    /** Nothing may start yet: the agents have not answered, or the user has not. */
    isOpen: isAsking || (consents.length > 0 && !accepted),
    params: consents.length > 0 ? { accept: consents } : {},
    question: (
      <>
        {isAsking && <p className="text-xs text-muted">Requesting the plans of the servers…</p>}
        {isNeeded && asks && (
          <AcceptMany
            asks={asks}
            accepted={accepted}
            onChange={(yes) => setAcceptedFor(yes ? key : undefined)}
          />
        )}
      </>
    ),
  }
}
