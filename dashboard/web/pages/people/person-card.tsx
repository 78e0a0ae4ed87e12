import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { KeyRound, RefreshCw, Trash2, UserX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { addKey, peopleQuery, removeKey, removePerson } from '#dashboard/web/api/access.ts'
import { startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextAreaField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { Person } from '#shared/access/api/access.ts'
import { readSshKey } from '#shared/access/ssh-keys.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { AccountBadges, AccountPart } from './account-part.tsx'

interface PersonCardProps {
  person: Person
  title: ReactNode
}

/** One person: account, keys, sites, and the end of the access. */
export function PersonCard({ person, title }: PersonCardProps) {
  const { dialog, show } = useDialog()
  return (
    <Card
      title={title}
      actions={
        <>
          {person.account && <AccountBadges account={person.account} />}
          <Button
            needs="admin"
            icon={<KeyRound />}
            aria-label={`Add key of ${person.name}`}
            onClick={show}
          >
            Add key
          </Button>
          {person.sites.length > 0 && <OnSites person={person} />}
          {person.sites.length === 0 && person.account === null && <Remove person={person} />}
        </>
      }
    >
      <div className="grid gap-5 lg:grid-cols-2">
        <AccountPart person={person} />
        <StillOnSites person={person} />
        <Keys person={person} />
        <Sites person={person} />
      </div>
      <AddKey {...dialog} person={person} />
    </Card>
  )
}

function Keys({ person }: { person: Person }) {
  const [toRemove, setToRemove] = useState<Person['keys'][number]>()
  const client = useQueryClient()
  const remove = async ({ id }: { id: number }) => {
    await removeKey(person.id, id)
    await client.invalidateQueries({ queryKey: peopleQuery.queryKey })
  }
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 text-xs text-muted">Keys</h3>
      {person.keys.length === 0 && <p>No key: {person.name} cannot log in to sites.</p>}
      <ul className="flex flex-col gap-2">
        {person.keys.map((key) => (
          <li key={key.id} className="flex items-center gap-2">
            <div className="min-w-0 flex-1">
              <p className="font-mono text-xs break-all">{key.fingerprint}</p>
              <p className="text-xs break-words text-muted">
                {[key.type, key.comment].filter(Boolean).join(' ')}, added{' '}
                <Time at={key.created_at} />
              </p>
            </div>
            <IconButton
              needs="admin"
              name={`Remove the key ${key.fingerprint}`}
              icon={<Trash2 />}
              onClick={() => setToRemove(key)}
            />
          </li>
        ))}
      </ul>
      <Confirm
        open={toRemove !== undefined}
        onClose={() => setToRemove(undefined)}
        title={`Remove a key of ${person.name}?`}
        action="Remove key"
        isDestructive
        onConfirm={async () => toRemove && remove(toRemove)}
      >
        {person.sites.length === 0
          ? 'No server has this key.'
          : 'The key works until you update the keys on the servers of the sites: this page then offers the update.'}
      </Confirm>
    </div>
  )
}

function Sites({ person: { name, sites } }: { person: Person }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 text-xs text-muted">Sites</h3>
      {sites.length === 0 && <p>{name} has no access to a site.</p>}
      <ul className="flex flex-col gap-1.5">
        {sites.map(({ site_id, domain, expires_at, applied, ending }) => (
          <li key={site_id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Link
              to="/sites/$site_id"
              params={{ site_id: String(site_id) }}
              search={{ tab: 'access' }}
              className="font-medium break-all text-accent hover:underline"
            >
              {unicodeOf(domain)}
            </Link>
            <span className="text-xs text-muted">
              {expires_at === null ? 'no limit' : <Time at={expires_at} />}
            </span>
            {ending && <Badge tone="bad">still has access</Badge>}
            {!applied && !ending && <Badge tone="warn">keys changed</Badge>}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Remove({ person }: { person: Person }) {
  const { dialog, show } = useDialog()
  const client = useQueryClient()
  const remove = async () => {
    await removePerson(person.id)
    await client.invalidateQueries({ queryKey: peopleQuery.queryKey })
  }
  return (
    <>
      <Button needs="admin" icon={<UserX />} aria-label={`Remove ${person.name}`} onClick={show}>
        Remove
      </Button>
      <Confirm
        {...dialog}
        title={`Remove ${person.name}?`}
        action="Remove person"
        isDestructive
        onConfirm={remove}
      >
        The name and the keys are removed from the dashboard. No server has them.
      </Confirm>
    </>
  )
}

/** The sites whose servers have not ended the access yet that ended with the account. */
function StillOnSites({ person: { name, sites } }: { person: Person }) {
  const run = useOnSites()
  const ending = sites.filter((site) => site.ending)
  if (ending.length === 0) return null
  return (
    <div className="lg:col-span-2">
      <Notice
        kind="warn"
        title={`${name} still has access to ${formatCount(ending.length, 'site')}`}
        actions={<Button onClick={() => run(idsOf(ending), {})}>End access now</Button>}
      >
        The access ended with the account, and these servers have not confirmed it. It is tried
        again by itself as soon as a server is online.
      </Notice>
    </div>
  )
}

/** Returns what changes the access to sites in bulk, and shows its progress. */
function useOnSites() {
  const navigate = useNavigate()
  return async (site_ids: number[], params: object) => {
    const bulk_id = await startBulk({ type: 'site.access', params, targets: { site_ids } })
    await navigate({ to: '/operations/bulk/$bulk_id', params: { bulk_id } })
  }
}

const idsOf = (sites: Person['sites']) => sites.map(({ site_id }) => site_id)

/** What is done on all sites of a person at once. */
function OnSites({ person: { id, name, sites } }: { person: Person }) {
  const removing = useDialog()
  const run = useOnSites()
  const outdated = sites.filter(({ applied, ending }) => !applied && !ending)
  return (
    <>
      {outdated.length > 0 && (
        <Button needs="operate" icon={<RefreshCw />} onClick={() => run(idsOf(outdated), {})}>
          Update {formatCount(outdated.length, 'site')}
        </Button>
      )}
      <Button
        needs="operate"
        icon={<UserX />}
        aria-label={`Remove from all sites: ${name}`}
        onClick={removing.show}
      >
        Remove from all sites
      </Button>
      <Confirm
        {...removing.dialog}
        title={`Remove ${name} from ${formatCount(sites.length, 'site')}?`}
        action="Remove access"
        isDestructive
        onConfirm={() => run(idsOf(sites), { revoke: id })}
      >
        {name} cannot log in to these sites any more, and all SFTP sessions of these sites end.
        Other people can log in again immediately. A site whose server is offline is listed as
        failed: retry it later.
      </Confirm>
    </>
  )
}

interface AddKeyProps extends DialogState {
  person: Person
}

const AddKey = dialogOf(Form, ({ person }) => ({ title: `Add a key of ${person.name}` }))

function Form({ person, onClose }: AddKeyProps) {
  const [text, setText] = useState('')
  const { form, refusals } = useFormCall(() => addKey(person.id, text), {
    fields: ['key'],
    changes: [peopleQuery.queryKey],
    onDone: onClose,
    onClose,
  })
  const read = text.trim() === '' ? undefined : readSshKey(text)
  const mistake = typeof read === 'string' ? read : refusals.key
  return (
    <DialogForm
      action="Add key"
      {...form}
      isBlocked={read === undefined || typeof read === 'string'}
    >
      <TextAreaField
        name="key"
        label="Public key"
        hint="The line in a file such as id_ed25519.pub. The private key stays with the person."
        error={mistake}
        data-first
        value={text}
        placeholder="ssh-ed25519 AAAA…"
        autoCapitalize="none"
        onChange={setText}
      />
    </DialogForm>
  )
}
