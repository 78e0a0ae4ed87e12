import { activityName, actorOf } from '#dashboard/web/labels/activity.ts'
import { BulkLink, OperationLink, ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetActivity } from '#shared/kernel/api/activity.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const LINK = 'font-medium text-accent hover:underline'

export function Entries({ activities }: { activities: readonly FleetActivity[] }) {
  return (
    <Table
      label="Activity"
      head={
        <>
          <Head>Action</Head>
          <Head>Target</Head>
          <Head className="max-lg:hidden">Server</Head>
          <Head className="max-lg:hidden">Who</Head>
          <Head className="max-sm:hidden">Status</Head>
          <Head className="text-right max-sm:hidden">When</Head>
        </>
      }
    >
      {activities.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </Table>
  )
}

/** Fewer columns on narrow screens. */
function Entry({ entry }: { entry: FleetActivity }) {
  const { status, address, created_at, detail } = entry
  const who = actorOf(entry)
  return (
    <tr>
      <Cell className="max-sm:align-top">
        <What {...entry} />
        {detail !== null && <p className="text-xs break-all text-muted">{detail}</p>}
        <p className="text-xs break-words text-muted lg:hidden">
          {who}
          {address !== null && ` from ${address}`}
        </p>
        <p className="mt-1 sm:hidden">
          <Status value={status} />
        </p>
      </Cell>
      <Cell className="max-sm:align-top">
        <On {...entry} />
        <p className="text-xs lg:hidden">
          <Where {...entry} />
        </p>
        <p className="mt-1 text-xs text-muted sm:hidden">
          <Time at={created_at} />
        </p>
      </Cell>
      <Cell className="whitespace-nowrap max-lg:hidden">
        <Where {...entry} />
      </Cell>
      <Cell className="break-words text-muted max-lg:hidden">
        {who}
        {address !== null && <p className="text-xs">from {address}</p>}
      </Cell>
      <Cell className="max-sm:hidden">
        <Status value={status} />
      </Cell>
      <Cell className="text-right text-muted max-sm:hidden">
        <Time at={created_at} />
      </Cell>
    </tr>
  )
}

function Where({ server_id, server }: FleetActivity) {
  if (server_id === null) return null
  return (
    <ServerLink id={server_id} className="hover:underline">
      {server}
    </ServerLink>
  )
}

/** Links to its operation, while that is recorded. */
function What({ type, operation_id, bulk_id }: FleetActivity) {
  const name = activityName(type)
  if (operation_id !== null)
    return (
      <OperationLink id={operation_id} className={LINK}>
        {name}
      </OperationLink>
    )
  if (bulk_id !== null)
    return (
      <BulkLink id={bulk_id} className={LINK}>
        {name}
      </BulkLink>
    )
  return <span className="font-medium">{name}</span>
}

function On({ domain, site_id }: FleetActivity) {
  if (site_id === null) return <span className="break-words">{unicodeOf(domain)}</span>
  return (
    <SiteLink id={site_id} className="break-words hover:underline">
      {unicodeOf(domain)}
    </SiteLink>
  )
}
