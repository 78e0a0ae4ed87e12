import { useState } from 'react'
import { useMustAccept } from '#dashboard/web/api/use-must-accept.ts'
import { wordsIn } from '#dashboard/web/ui/accept.tsx'
import { AcceptMany } from '#dashboard/web/ui/accept-many.tsx'
import type { BulkTargets } from '#shared/api/bulk-operations.ts'
import type { BulkType } from '#shared/operation-types/index.ts'

interface Bulk {
  type: BulkType
  params: Record<string, unknown>
  targets: Partial<BulkTargets>
}

/** The types that can change foreign objects. */
const ASKING: ReadonlySet<BulkType> = new Set(['site.update', 'site.restore', 'server.provision'])

/**
 * The question whether a bulk operation may change what Hosting Control did not create, and the
 * answer.
 */
export function useConsent(bulk: Bulk, isChosen: boolean) {
  const key = JSON.stringify(bulk)
  const [acceptedFor, setAcceptedFor] = useState<string>()
  const accepted = acceptedFor === key
  const { asks, isAsking } = useMustAccept(bulk, isChosen && ASKING.has(bulk.type))
  const words = wordsIn(asks?.asks.flatMap(({ effects }) => effects) ?? [])
  return {
    /** Nothing may start yet: the agents have not answered, or the user has not. */
    isOpen: isAsking || (words.length > 0 && !accepted),
    params: words.length > 0 ? { accept: words } : {},
    question: (
      <>
        {isAsking && <p className="text-xs text-muted">Asking the servers for their plans…</p>}
        {asks && (
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
