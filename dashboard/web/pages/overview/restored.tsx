import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { confirmRestored, restoredQuery } from '#dashboard/web/api/restored.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { MAX_RESTORED_SITES, type Restored } from '#shared/recovery/api/restored.ts'

type Change = Restored['sites'][number]['change']

const CHANGES: Record<Change, { title: string; about: string }> = {
  adopted: {
    title: 'Created after the backup',
    about: 'Their servers have them as their own, so they are managed again. Check their settings.',
  },
  discovered: {
    title: 'On a server, but not made by its agent',
    about:
      'They are shown and not changed. If one was made by Hosting Control, its name or system user belongs to another site now: look at its server.',
  },
  trashed: {
    title: 'In the trash of their server',
    about: 'They were created and deleted after the backup. Restore or purge them in the trash.',
  },
  missing: {
    title: 'In the records, but not on their server',
    about:
      'They were moved, renamed or deleted after the backup. If another server has them, delete the record here; otherwise restore them from their backups.',
  },
}

/** After a restore of the records: what the servers know, and what nobody does. */
export function RestoredCard() {
  const { data } = useQuery(restoredQuery)
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: confirmRestored,
    onError: toastError,
    onSettled: () => client.invalidateQueries(restoredQuery),
  })
  if (!data) return null
  const confirm = (
    <Button busy={isPending} onClick={() => mutate()}>
      Confirm all
    </Button>
  )
  const names = new Map(data.servers.map(({ server_id, name }) => [server_id, name]))
  return (
    <Card title="After the restore" actions={confirm}>
      <div className="flex flex-col gap-4">
        <p>
          The records were restored <Time at={data.restored_at} /> from a backup of{' '}
          <Time at={data.made_at} />. What people changed here in between is not known: users,
          passwords, API tokens, sessions, settings, access of people, targets and rules of backups.
          Check them on the pages Settings, People and Backups, and remove again whom you had
          removed. Then confirm.
        </p>
        <Servers servers={data.servers} />
        {(Object.keys(CHANGES) as Change[]).map((change) => (
          <Sites key={change} change={change} of={data} names={names} />
        ))}
        {data.sites_total > data.sites.length && (
          <p className="text-muted">
            {formatCount(data.sites_total - data.sites.length, 'more site')}: the first{' '}
            {MAX_RESTORED_SITES} are shown.
          </p>
        )}
        <Operations of={data} names={names} />
      </div>
    </Card>
  )
}

function Part({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="font-semibold">{title}</h3>
      <p className="text-muted">{about}</p>
      <ul className="mt-1 flex flex-col gap-1">{children}</ul>
    </section>
  )
}

const STATES: Record<Restored['servers'][number]['state'], string> = {
  read: '',
  too_old: 'its agent does not list its operations: upgrade it, and look at its log',
  waiting: 'not read yet',
  key_refused: 'it refuses the key of this dashboard: run this command on it as root',
}

function Servers({ servers }: Pick<Restored, 'servers'>) {
  const unread = servers.filter(({ state }) => state !== 'read')
  if (unread.length === 0) return null
  return (
    <Part
      title={`Not read: ${formatCount(unread.length, 'server')}`}
      about="What they know of the time after the backup is not known here."
    >
      {unread.map(({ server_id, name, state, reason, command }) => (
        <li key={server_id}>
          <ServerLink id={server_id}>{name}</ServerLink>: {STATES[state]}
          {state === 'waiting' && reason !== '' && ` (${reason})`}
          {command !== null && <Snippet text={command} what="the command" />}
        </li>
      ))}
    </Part>
  )
}

interface OfServers {
  of: Restored
  names: ReadonlyMap<number, string>
}

function Sites({ change, of, names }: OfServers & { change: Change }) {
  const sites = of.sites.filter((site) => site.change === change)
  if (sites.length === 0) return null
  return (
    <Part {...CHANGES[change]}>
      {sites.map(({ site_id, server_id, domain }) => (
        <li key={site_id}>
          <SiteLink id={site_id}>{domain}</SiteLink> on {names.get(server_id)}
        </li>
      ))}
    </Part>
  )
}

const ENDS = { complete: 'succeeded', error: 'failed' } as const

function Operations({ of, names }: OfServers) {
  if (of.operations.length === 0) return null
  const more = of.operations_total - of.operations.length
  return (
    <Part
      title="Operations that are not in the records"
      about="The sync records what they changed of sites. Backups that they made are found with “Find existing backups” on the page Backups."
    >
      {of.operations.map(({ id, server_id, command, domain, at, end }) => (
        <li key={`${server_id} ${id}`}>
          <Time at={at} />: {command} {domain} on {names.get(server_id)},{' '}
          {end === null ? 'running' : ENDS[end]}
        </li>
      ))}
      {more > 0 && <li className="text-muted">and {more} more</li>}
    </Part>
  )
}
