import { useQuery } from '@tanstack/react-query'
import { Check, Globe, RotateCw, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { dnsAccountsQuery, namesPlanQuery, setDnsRecords } from '#dashboard/web/api/dns.ts'
import { domainsQuery } from '#dashboard/web/api/domains.ts'
import { confirmMove, moveQuery, moveSiteBack } from '#dashboard/web/api/moves.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useRetry } from '#dashboard/web/features/operations/use-actions.ts'
import { isIn, linesOf, removedOf } from '#dashboard/web/features/sites/dns-lines.ts'
import { useShowOperation } from '#dashboard/web/features/sites/use-show-operation.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { DnsNamePlan } from '#shared/domains/api/dns.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { OpenMove, ShownMove, SiteMove } from '#shared/moves/api/moves.ts'

/** On every tab of a site whose move is not confirmed, or has not ended. */
export function MoveNotices({ site }: { site: Site }) {
  const { data } = useQuery({ ...moveQuery(site), enabled: !site.found })
  if (!data) return null
  const { move, open } = data
  return (
    <>
      {open && !site.operation_id && <OpenMoveNotice site={site} open={open} />}
      {move && <Unconfirmed site={site} shown={data} move={move} />}
    </>
  )
}

interface UnconfirmedProps {
  site: Site
  shown: ShownMove
  move: SiteMove
}

function Unconfirmed({ site, shown, move }: UnconfirmedProps) {
  const back = useDialog()
  const confirm = useDialog()
  const dns = useDialog()
  const names = useNamesInAccounts(site)
  const mayReturn = useMay()('operate', { server_id: move.other_id })
  return (
    <>
      <Notice
        kind="info"
        title={`Moved from ${move.other} on ${formatTime(move.moved_at)}, not confirmed`}
        actions={
          <>
            {mayReturn && (
              <Button needs="operate" icon={<Undo2 />} onClick={back.show}>
                Move back
              </Button>
            )}
            {names.length > 0 && (
              <Button needs="operate" icon={<Globe />} onClick={dns.show}>
                Point DNS here
              </Button>
            )}
            <Button needs="operate" icon={<Check />} onClick={confirm.show}>
              Confirm move
            </Button>
          </>
        }
      >
        {move.other} forwards its visitors to this server{' '}
        {move.tls ? 'over TLS' : 'over plain HTTP'} and keeps its copy. {dnsText(shown)}
      </Notice>
      <MoveBack site={site} move={move} {...back.dialog} />
      <PointDns site={site} names={names} {...dns.dialog} />
      <ConfirmMove site={site} shown={shown} {...confirm.dialog} />
    </>
  )
}

interface ConfirmMoveProps extends DialogState {
  site: Site
  shown: ShownMove
}

/** The last step: visitors who still come to the former server are not served any more. */
function ConfirmMove({ site, shown, ...dialog }: ConfirmMoveProps) {
  const other = shown.move?.other ?? 'The former server'
  return (
    <WorkDialog
      {...dialog}
      title={`Confirm the move of ${unicodeOf(site.domain)}?`}
      about={`${other} stops forwarding visitors, and its copy moves to the trash there. The move cannot be undone after that.`}
      site={site}
      work={confirmMove(site)}
      action="Confirm move"
      isDestructive={shown.dns !== 'new'}
    >
      <Notice
        kind={shown.dns === 'new' ? 'info' : 'warn'}
        title={shown.dns === 'new' ? 'DNS points to this server' : 'Visitors may lose the site'}
      >
        {dnsText(shown)}
      </Notice>
    </WorkDialog>
  )
}

/** Where DNS points, and what to do. */
function dnsText({ dns, addresses, wanted, move }: ShownMove): string {
  const entry = `Point DNS to ${wanted.join(', ')}, and confirm the move when visitors have followed.`
  const text = {
    new: 'DNS points to this server: the move can be confirmed.',
    former: `DNS still points to ${move?.other ?? 'the former server'}. ${entry}`,
    both: `DNS points to both servers. Remove the address of ${move?.other ?? 'the former server'}.`,
    elsewhere: `DNS points to ${addresses.join(', ')}, which belongs to neither server: it may be a proxy. Check which server the proxy uses.`,
    unknown: 'It is not known where DNS points.',
  }
  return text[dns]
}

/** A move that has not ended, or whose copy is still on a server that refused or was offline. */
function OpenMoveNotice({ site, open }: { site: Site; open: OpenMove }) {
  const { mutate, isPending } = useRetry(open.operation_id, useShowOperation(site.id))
  const subject = open.undecided
    ? `The move between ${site.server} and ${open.other} has not ended`
    : `A move between ${site.server} and ${open.other} is not cleaned up`
  const meaning = open.undecided
    ? 'A retry finds out which of the two servers serves the site, and ends the move in one direction or the other.'
    : 'The site is on the server that is shown here, and no retry moves it.'
  return (
    <Notice
      kind="warn"
      title={subject}
      actions={
        // A retry of any other move would start a new move.
        open.undecided && (
          <Button
            needs="operate"
            icon={<RotateCw />}
            busy={isPending}
            onClick={() => mutate(false)}
          >
            Retry now
          </Button>
        )
      }
    >
      {open.reason}. {meaning} It is {open.undecided ? 'retried' : 'cleaned up'} automatically{' '}
      <Time at={open.next_at} none="later" />, if both servers are online then.
    </Notice>
  )
}

interface MoveBackProps extends DialogState {
  site: Site
  move: SiteMove
}

/** Keeps the changes since the move, unless the user discards them. */
function MoveBack({ site, move, ...dialog }: MoveBackProps) {
  const [discards, setDiscards] = useState(false)
  return (
    <WorkDialog
      {...dialog}
      title={`Move ${unicodeOf(site.domain)} back to ${move.other}?`}
      about="Changes since the move are kept, settings included. For some seconds, visitors see that the site is moving. Then this server forwards its visitors."
      site={site}
      work={moveSiteBack(site, discards)}
      action={discards ? 'Move back without changes' : 'Move site back'}
      isDestructive={discards}
    >
      <CheckField
        label="Discard the changes since the move"
        about={`Orders, posts and files since ${formatTime(move.moved_at)} are then missing in the site. They stay on this server until the move is confirmed.`}
        checked={discards}
        onChange={setDiscards}
      />
    </WorkDialog>
  )
}

/** The names of a site whose zones are in a DNS account. */
function useNamesInAccounts(site: Site): string[] {
  const may = useMay()
  // The records are read by a call of the server.
  const mayRead = may('read', 'fleet') && may('operate', { server_id: site.server_id })
  const { data: accounts = [] } = useQuery({ ...dnsAccountsQuery, enabled: mayRead })
  const zones = mayRead ? accounts.flatMap((account) => account.zones) : []
  const { data: names } = useQuery({ ...domainsQuery(site), enabled: zones.length > 0 })
  return names
    ? allNamesOf({ domain: names.primary, names }).filter((name) => isIn(zones, name))
    : []
}

/** After a move: the records that lead all names of the site to its new server. */
const PointDns = dialogOf(PointDnsForm, ({ site }) => ({
  title: `Point DNS of ${unicodeOf(site.domain)} to ${site.server}`,
  about:
    'Records at Cloudflare that point elsewhere are replaced. Visitors who still reach the former server are forwarded until the move is confirmed.',
}))

interface PointDnsProps extends DialogState {
  site: Site
  names: readonly string[]
}

function PointDnsForm({ site, names, onClose }: PointDnsProps) {
  const plan = useQuery(namesPlanQuery(site.server_id, names))
  const plans = plan.data ?? []
  const changed = plans.filter((each) => each.problem === '' && linesOf(each).length > 0)
  const { form } = useFormCall(
    async () => {
      for (const each of changed)
        await setDnsRecords(site, { name: each.name, replace: removedOf(each) })
    },
    {
      done: `The DNS records of ${unicodeOf(site.domain)} point to ${site.server}.`,
      // Also after a failure: the records of the names before it have changed.
      changes: [['dns-plan'], ['site', site.id]],
      onSuccess: onClose,
      onClose,
    },
  )
  return (
    <DialogForm
      action={changed.length > 0 ? 'Change DNS records' : undefined}
      cancel={changed.length > 0 ? 'Cancel' : 'Close'}
      {...form}
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
