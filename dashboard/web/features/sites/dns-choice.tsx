import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { dnsAccountsQuery, namesPlanQuery } from '#dashboard/web/api/dns.ts'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Skeleton } from '#dashboard/web/ui/states.tsx'
import type { DnsNamePlan } from '#shared/domains/api/dns.ts'
import type { DnsChoice } from '#shared/domains/dns-choice.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { choiceOf, isIn, keyOf, linesOf, removedOf } from './dns-lines.ts'

interface ChosenRecords {
  /** The field of the call; empty: no record is changed. */
  chosen: { dns?: DnsChoice }
  /** The records are still being read. */
  isOpen: boolean
  /** Nothing if no account has one of the names. */
  fields: ReactNode
}

/** The DNS records that lead names to a server: missing ones are made, others stay by default. */
export function useDnsChoice(server_id: number, names: readonly string[]): ChosenRecords {
  const may = useMay()
  // The records are read by a call of the server.
  const mayRead = may('read', 'fleet') && may('operate', { server_id })
  const { data: accounts = [] } = useQuery({ ...dnsAccountsQuery, enabled: mayRead })
  const [createsMissing, setCreatesMissing] = useState(true)
  /** The keys of the shown records to replace; records that were not shown are never replaced. */
  const [replaced, setReplaced] = useState<readonly string[]>([])
  const zones = mayRead ? accounts.flatMap((account) => account.zones) : []
  const known = names.filter((name) => isIn(zones, name))
  const { data, error } = useQuery({
    ...namesPlanQuery(server_id, known),
    enabled: known.length > 0,
  })
  const isNeeded = known.length > 0
  const plans = isNeeded ? (data ?? []) : []
  const chosen = choiceOf(plans, { createsMissing, replaced })
  const toggle = (key: string, isOn: boolean) =>
    setReplaced(isOn ? [...replaced, key] : replaced.filter((one) => one !== key))
  const fields = isNeeded && (
    <section aria-label="DNS records" className="flex flex-col gap-2">
      {!data && !error && <Skeleton rows={1} />}
      {error && <Problem text={messageOf(error)} />}
      <Choices
        plans={plans}
        createsMissing={createsMissing}
        setCreatesMissing={setCreatesMissing}
        replaced={replaced}
        toggle={toggle}
      />
    </section>
  )
  return { chosen: chosen ? { dns: chosen } : {}, isOpen: isNeeded && !data && !error, fields }
}

/** After a refusal: the zone may have changed since. */
export function useRefreshRecords(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: ['dns-plan'] })
}

interface ChoicesProps {
  plans: readonly DnsNamePlan[]
  createsMissing: boolean
  setCreatesMissing: (createsMissing: boolean) => void
  replaced: readonly string[]
  toggle: (key: string, isOn: boolean) => void
}

function Choices({ plans, createsMissing, setCreatesMissing, replaced, toggle }: ChoicesProps) {
  const problem = plans.find((plan) => plan.problem !== '')
  if (problem) return <Problem text={`${unicodeOf(problem.name)}: ${problem.problem}`} />
  const missing = plans.filter((plan) => removedOf(plan).length === 0).flatMap(linesOf)
  const elsewhere = plans.filter((plan) => removedOf(plan).length > 0)
  if (missing.length === 0 && elsewhere.length === 0) return null
  return (
    <>
      <CheckField
        label="Create missing DNS records"
        about="At Cloudflare, before the certificate is requested. They are removed again if the operation fails."
        checked={createsMissing}
        onChange={setCreatesMissing}
      />
      {createsMissing && (
        <ul className="flex flex-col gap-1 pl-6.5 text-xs break-all">
          {missing.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {createsMissing &&
        elsewhere.map((plan) => (
          <CheckField
            key={plan.name}
            label={`Replace the records of ${unicodeOf(plan.name)} that point elsewhere`}
            about={linesOf(plan).join('; ')}
            checked={replaced.includes(keyOf(plan))}
            onChange={(isOn) => toggle(keyOf(plan), isOn)}
          />
        ))}
    </>
  )
}

const Problem = ({ text }: { text: string }) => (
  <p role="alert" className="text-xs text-warn">
    No DNS record is changed. {text}
  </p>
)
