import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { dnsAccountsQuery, namesPlanQuery, setDnsRecords } from '#dashboard/web/api/dns.ts'
import { domainsQuery } from '#dashboard/web/api/domains.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { isIn, linesOf, removedOf } from '#dashboard/web/features/sites/dns-lines.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { DnsNamePlan } from '#shared/domains/api/dns.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** The names of a site whose zones are in a DNS account. */
export function useNamesInAccounts(site: Site): string[] {
  const { data: accounts = [] } = useQuery(dnsAccountsQuery)
  const zones = accounts.flatMap((account) => account.zones)
  const { data: names } = useQuery({ ...domainsQuery(site), enabled: zones.length > 0 })
  return names
    ? allNamesOf({ domain: names.primary, names }).filter((name) => isIn(zones, name))
    : []
}

/** After a move: the records that lead all names of the site to its new server. */
export function PointDns({ site, names, ...dialog }: DialogState & Omit<FormProps, 'onClose'>) {
  return (
    <Dialog
      {...dialog}
      title={`Point DNS of ${unicodeOf(site.domain)} to ${site.server}`}
      about="Records at Cloudflare that point elsewhere are replaced. Visitors who still reach the former server are forwarded until the move is confirmed."
    >
      {dialog.open && <Form site={site} names={names} onClose={dialog.onClose} />}
    </Dialog>
  )
}

interface FormProps {
  site: Site
  names: readonly string[]
  onClose: () => void
}

function Form({ site, names, onClose }: FormProps) {
  const plan = useQuery(namesPlanQuery(site.server_id, names))
  const client = useQueryClient()
  const plans = plan.data ?? []
  const changed = plans.filter((each) => each.problem === '' && linesOf(each).length > 0)
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      for (const each of changed)
        await setDnsRecords(site, { name: each.name, replace: removedOf(each) })
    },
    onSuccess: () => {
      toast(`The DNS records of ${unicodeOf(site.domain)} point to ${site.server}.`)
      onClose()
    },
    // Also after a failure: the records of the names before it have changed.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['dns-plan'] }),
        client.invalidateQueries({ queryKey: ['site', site.id] }),
      ]),
  })
  return (
    <DialogForm
      action={changed.length > 0 ? 'Change DNS records' : undefined}
      cancel={changed.length > 0 ? 'Cancel' : 'Close'}
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBusy={isPending}
      error={error}
    >
      <QueryState of={plan} rows={2} />
      {plan.data && <Lines plans={plans} />}
    </DialogForm>
  )
}

function Lines({ plans }: { plans: readonly DnsNamePlan[] }) {
  const problems = plans.filter(({ problem }) => problem !== '')
  const lines = plans.filter(({ problem }) => problem === '').flatMap(linesOf)
  return (
    <>
      {problems.map(({ name, problem }) => (
        <Notice key={name} kind="warn" title={`The records of ${unicodeOf(name)} stay as they are`}>
          {problem}
        </Notice>
      ))}
      {lines.length > 0 && (
        <ul aria-label="DNS records" className="flex flex-col gap-1 text-xs break-all">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {lines.length === 0 && problems.length === 0 && (
        <p className="text-muted">All names already point to this server.</p>
      )}
    </>
  )
}
