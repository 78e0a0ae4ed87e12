import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ListChecks, Plus, Trash2 } from 'lucide-react'
import { deletePolicyRule, policyQuery } from '#dashboard/web/api/policy.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import type { PolicyRule } from '#shared/policy/api/policy.ts'
import { AddRule } from './add-rule.tsx'

/** What accounts can and cannot do, as an owner wrote it: only owners see and change it. */
export function PolicyRules() {
  const maySee = useMay()('accounts')
  const { data, error, refetch } = useQuery({ ...policyQuery, enabled: maySee })
  const { dialog, show } = useDialog()
  if (!maySee) return null
  const add = (
    <Button needs="accounts" icon={<Plus />} onClick={show}>
      Add rule
    </Button>
  )
  return (
    <section className="flex flex-col gap-4" aria-labelledby="policy">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h2 id="policy" className="font-semibold">
            Access policy
          </h2>
          <p className="text-muted">
            Rules about what accounts can and cannot do. A rule gives no right: it refuses each
            change of rights, tags and servers after which it would not hold.
          </p>
        </div>
        {data && data.length > 0 && add}
      </div>
      <Card flush>
        <QueryState of={{ data, error, refetch }} rows={2} flush />
        {data?.length === 0 && (
          <Empty icon={<ListChecks />} title="No rules yet" action={add}>
            Such as: anna@example.com can update sites on the tag shop, and cannot delete a site
            anywhere. Nobody can break it by mistake then.
          </Empty>
        )}
        {data && data.length > 0 && (
          <ul className="divide-y divide-line">
            {data.map((rule) => (
              <Rule key={rule.id} rule={rule} />
            ))}
          </ul>
        )}
      </Card>
      <AddRule {...dialog} />
    </section>
  )
}

function Rule({ rule: { id, rule, holds, problem } }: { rule: PolicyRule }) {
  const { dialog, show } = useDialog()
  const client = useQueryClient()
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className="font-mono wrap-anywhere">{rule}</p>
        {problem && <p className="text-xs wrap-anywhere text-bad">{problem}</p>}
      </div>
      <Badge tone={holds ? 'good' : 'bad'}>{holds ? 'holds' : 'does not hold'}</Badge>
      <Button needs="accounts" icon={<Trash2 />} aria-label={`Delete rule: ${rule}`} onClick={show}>
        Delete
      </Button>
      <Confirm
        {...dialog}
        title="Delete this rule?"
        action="Delete rule"
        isDestructive
        onConfirm={async () => {
          await deletePolicyRule(id)
          await client.invalidateQueries({ queryKey: policyQuery.queryKey })
        }}
      >
        Later changes may break <span className="font-mono wrap-anywhere">{rule}</span>. It changes
        nothing about what the account can do now.
      </Confirm>
    </li>
  )
}
