import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SiteWork } from '#dashboard/web/api/site-call.ts'
import { planQuery } from '#dashboard/web/api/site-work.ts'
import { Accept, consentsOf } from '#dashboard/web/ui/accept.tsx'

/** The question whether work may change what Hosting Control did not create, and the answer. */
export function useWorkConsent(work: SiteWork | undefined) {
  const key = JSON.stringify(work)
  const [acceptedFor, setAcceptedFor] = useState<string>()
  const accepted = acceptedFor === key
  const { data: plan } = useQuery(planQuery(work))
  const consents = consentsOf(plan)
  return {
    isOpen: consents.length > 0 && !accepted,
    accepting: consents.length > 0 ? { accept: consents } : {},
    question: plan && (
      <Accept
        plan={plan}
        accepted={accepted}
        onChange={(yes) => setAcceptedFor(yes ? key : undefined)}
      />
    ),
  }
}
